"""Text from elsewhere, made fit to be written out."""

SIGNS = "=+-@＝＋－＠"
CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
FORMULA_STARTS = frozenset((*SIGNS, *CONTROLS, "\ufeff"))  # of cells that a spreadsheet would take for a formula


def whole_text(text: str) -> str:
    r"""Text that UTF-8 can hold: half of a surrogate pair becomes the replacement character.

    >>> whole_text("标签\ud800")
    '标签\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
