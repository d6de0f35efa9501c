"""What promptfoo calls: `value: file://geometry.py` in an assertion of type python."""

from calipers.judge.promptfoo import get_assert

__all__ = ["get_assert"]
