"""Objects that a conversion cannot write: an error, or left out and counted where that is asked for."""

from __future__ import annotations

from calipers.core.errors import InputError, keyword


class LeftOut:
    """Counts objects that are left out, up to as many as are allowed.

    >>> left_out = LeftOut(1)
    >>> left_out.add(InputError("a.json: annotations[3]: found a crowd"))
    >>> left_out.notes()
    ['1 object could not be written and was left out: a.json: annotations[3]: found a crowd']
    """

    def __init__(self, max_bad: int) -> None:
        self._max_bad = max_bad
        self.errors: list[InputError] = []

    def add(self, error: InputError) -> None:
        """Count an object; the error is raised where there are too many."""
        self.errors.append(error)
        if len(self.errors) > self._max_bad:
            error.add_note(f"({keyword('max_bad_records', 'N')} leaves out up to N such objects, and counts them)")
            raise error

    def notes(self) -> list[str]:
        """How many there were, with the first of them."""
        count = len(self.errors)
        if not count:
            return []
        words = "1 object" if count == 1 else f"{count:,} objects"
        first = "" if count == 1 else ", the first"
        return [f"{words} could not be written and {'was' if count == 1 else 'were'} left out{first}: {self.errors[0]}"]
