"""A few signals at random moments, over some commands; `benchmarks/signals.py` sends hundreds."""

import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from ..profiles import examples

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")

FILE = Path(__file__).parents[2] / "benchmarks" / "signals.py"
SENT = examples(12)
COMMANDS = {"dense", "judge", "judge --serve", "check"}


@pytest.fixture(scope="module")
def signals():
    spec = spec_from_file_location("signals_at_random_moments", FILE)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_no_signal_is_lost(signals):
    """From when the command handles signals; before that Python does, and says what it likes."""
    outcomes = signals.send_signals(SENT, seed=7, at_once=2, names=COMMANDS, later=True)
    counted = sum(outcomes.values(), Counter())
    assert sum(counted.values()) == SENT
    assert set(counted) <= {*signals.GOOD, "had ended"}
