"""Text from elsewhere, made fit to be written out."""


def whole_text(text: str) -> str:
    r"""Text that UTF-8 can hold: half of a surrogate pair becomes the replacement character.

    >>> whole_text("标签\ud800")
    '标签\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
