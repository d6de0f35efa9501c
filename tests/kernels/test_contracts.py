"""Every kernel that Python can reach refuses what does not fit: no length, offset or index takes it out of bounds."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import calipers.kernels

from . import contracts, contracts_more, contracts_of_cases, contracts_of_shapes

MODULES = (contracts, contracts_more, contracts_of_cases, contracts_of_shapes)
CONTRACTS = {name: contract for module in MODULES for name, contract in module.CONTRACTS.items()}
WITHOUT_ARGUMENTS = {
    "caselines.CaseLines.ends",
    "caselines.CaseLines.text",
    "column.keep_memory",
    "column.keep_some_memory",
    "jsonlines.RecordLines.field_values",
}
CASES = [(name, what) for name, contract in CONTRACTS.items() for what in contract.wrong]


def public_members(holder: Any, prefix: str) -> Iterator[str]:
    """Functions, classes and methods, by name."""
    for name, value in vars(holder).items():
        if name.startswith("__") or not callable(value):
            continue
        yield f"{prefix}.{name}"
        if inspect.isclass(value):
            yield from public_members(value, f"{prefix}.{name}")


def kernels() -> Iterator[str]:
    for module in walk_packages(calipers.kernels.__path__, "calipers.kernels."):
        if not module.ispkg:
            yield from public_members(import_module(module.name), module.name.rpartition(".")[2])


@pytest.mark.parametrize("name", CONTRACTS)
def test_what_fits_is_taken(name):
    CONTRACTS[name].call(**CONTRACTS[name].fine)


@pytest.mark.parametrize(("name", "what"), CASES, ids=[f"{name}, {what}" for name, what in CASES])
def test_what_does_not_fit_is_refused(name, what):
    contract = CONTRACTS[name]
    with pytest.raises((ValueError, TypeError)) as error:
        contract.call(**contract.fine | contract.wrong[what])
    assert str(error.value)


def test_no_kernel_is_without_a_contract():
    assert set(kernels()) == set(CONTRACTS) | WITHOUT_ARGUMENTS


def test_what_cannot_be_wrong_has_no_arguments_or_takes_anything():
    taking_anything = {name for name, contract in CONTRACTS.items() if contract.fine and not contract.wrong}
    assert taking_anything == {
        "cocoboxes.measure_rle",
        "csvrows.RowError",
        "intervals.IntervalColumns.add_video",
        "rects.plain_boxes",
        "plane.WorkLimitError",
    }
