"""Compiles the kernels: plain C, the same bits on every machine (no fused multiply-add, no fast-math, no -march)."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
CORES = os.cpu_count() or 1
KERNELS = sorted(Path("src/calipers/kernels").glob("*.pyx"))

setup(
    ext_modules=cythonize(
        [Extension(f"calipers.kernels.{path.stem}", [str(path)], extra_compile_args=FLAGS) for path in KERNELS],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
        nthreads=CORES,
    ),
    options={"build_ext": {"parallel": CORES}},
)
