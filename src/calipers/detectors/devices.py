"""Where an ONNX model runs: the providers of onnxruntime by their short names."""

from __future__ import annotations

import re
from typing import Any

from calipers.core.errors import ConfigError

PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",
    "rocm": "ROCMExecutionProvider",
    "migraphx": "MIGraphXExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
}
NUMBERED = ("cuda", "tensorrt", "rocm", "migraphx", "directml")


def providers(device: str, available: list[str]) -> list[Any]:
    """What onnxruntime is asked for: the device's provider, then the processor for what that cannot do.

    >>> providers("cuda:1", ["CUDAExecutionProvider", "CPUExecutionProvider"])
    [('CUDAExecutionProvider', {'device_id': 1}), 'CPUExecutionProvider']
    """
    text = f"cuda:{device}" if device.isdigit() else device.lower()
    parts = re.fullmatch(r"([a-z]+)(?::(\d{1,3}))?", text)
    name, number = parts.groups() if parts else ("", None)
    usable = [short for short, long in PROVIDERS.items() if long in available]
    if name not in usable or (number is not None and name not in NUMBERED):
        expected = ", ".join(f"{short}[:N]" if short in NUMBERED else short for short in usable)
        raise ConfigError(f"device: found {device!r}, expected one that onnxruntime has here: {expected}")
    long = PROVIDERS[name]
    first: Any = (long, {"device_id": int(number)}) if number is not None else long
    return [first] if name == "cpu" else [first, PROVIDERS["cpu"]]
