"""The reference of all figures in the manual is what the suites declare."""

from .figures_page import PAGE, page


def test_the_reference_of_figures_is_what_suites_declare():
    """`python -m tests.figures_page` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == page()
