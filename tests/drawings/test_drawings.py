"""The drawings of the manual are what the code draws today."""

import pytest

from .all_drawings import DRAWINGS, IMAGES

DOCS = "\n".join(page.read_text(encoding="utf-8") for page in IMAGES.parent.glob("*.md"))


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_what_the_code_draws(name):
    """`python -m tests.drawings` draws all of them anew."""
    assert (IMAGES / f"{name}.svg").read_text(encoding="utf-8") == DRAWINGS[name]().svg()


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_shown_in_the_manual(name):
    assert f"](images/{name}.svg)" in DOCS
