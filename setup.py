"""Compiles the kernels: plain C, the same bits on every machine (no fused multiply-add, no fast-math, no -march).

Kernels use AVX2 where the machine has it, with the same operations in the same order, and so the same bits.

Three variables of the environment make other builds, for tests. CALIPERS_CHECKED=1 adds bounds checks to every index.
CALIPERS_NARROW=1 makes kernels that take no machine to have AVX2 (`make narrow` compares the two). CALIPERS_SANITIZE=1
adds AddressSanitizer and UndefinedBehaviorSanitizer of gcc; the process that loads such kernels has to preload them
(`make sanitize` does). C files of these builds have a folder of their own, so that no build takes those of another for
its own.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKED = os.environ.get("CALIPERS_CHECKED") == "1"
NARROW = os.environ.get("CALIPERS_NARROW") == "1"
SANITIZED = os.environ.get("CALIPERS_SANITIZE") == "1"
FLOATS = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
PLAIN = ["-O1" if CHECKED else "-O3", "-g0"]
WITHOUT_AVX2 = ["-D__builtin_cpu_supports(name)=0"]
SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
TRACED = ["-O1", "-g1", "-fno-wrapv", "-fno-omit-frame-pointer", *SANITIZERS]  # Python wraps, which hides overflows
CORES = os.cpu_count() or 1
KERNELS = sorted(Path("src/calipers/kernels").glob("*/*.pyx"))


def make_kernel(path: Path) -> Extension:
    compiling = FLOATS + (TRACED if SANITIZED else PLAIN) + (WITHOUT_AVX2 if NARROW else [])
    linking = SANITIZERS if SANITIZED else []
    name = f"calipers.kernels.{path.parent.name}.{path.stem}"
    return Extension(name, [str(path)], extra_compile_args=compiling, extra_link_args=linking)


def find_c_folder() -> str | None:
    """Where C files go: beside their sources in the usual build."""
    names = [name for name, wanted in (("checked", CHECKED), ("narrow", NARROW), ("sanitize", SANITIZED)) if wanted]
    return f"build/{'-'.join(names)}/c" if names else None


setup(
    ext_modules=cythonize(
        [make_kernel(path) for path in KERNELS],
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": CHECKED,
        },
        build_dir=find_c_folder(),
        nthreads=CORES,
    ),
    options={"build_ext": {"parallel": CORES}},
)
