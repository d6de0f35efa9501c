"""Labels as words: what is kept, what is dropped, in any script."""

from unicodedata import category

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calipers.core.words import UNSEEN, normalise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("chair", "chair"),
        ("  Office\tChair\n", "office chair"),
        ("TV/Monitor_stand-alone", "tv monitor stand alone"),
        ("chair (wooden), #3!", "chair wooden 3"),
        ("men's", "mens"),
        ("T.V.", "tv"),
        ("a–b—c‑d−e", "a b c d e"),  # en dash, em dash, hyphen that does not break, minus
        ("a／b＿c－d", "a b c d"),  # the same three in full width
        ("Straße", "strasse"),
        ("ΚΑΡΈΚΛΑΣ", "καρέκλασ"),  # both small sigmas are one
        ("STÜHL", "stühl"),
        ("stu\u0308hl", "stühl"),  # accent given apart
        ("Ｃｈａｉｒ", "chair"),
        ("ﬁle", "file"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("ドア・ノブ", "ドアノブ"),
        ("टेबल।", "टेबल"),  # vowel signs are marks, the danda is punctuation
        ("क्षेत्र", "क्षेत्र"),
        ("ประตู", "ประตู"),
        ("كُرْسِيّ", "كُرْسِيّ"),  # vowels are marks, and kept
        ("木门。", "木门"),
        ("葛\U000e0100城", "葛城"),  # a variation selector chooses a drawing of the same character
        ("so\u00adfa", "sofa"),  # soft hyphen
        ("می\u200cز", "میز"),  # joiner that is not seen
        ("chair２", "chair2"),
        ("½", "1 2"),
        ("Door™ 🚪", "door"),
        ("\ud800chair", "chair"),
        ("?!", ""),
        ("", ""),
        (" \u3000\u00a0", ""),
    ],
)
def test_a_table(text: str, words: str) -> None:
    assert normalise(text) == words


@given(st.text())
@example("a!\u0301")  # a and its accent, once nothing is between them
@example("ᾳ\u0301\u0345")
@example("İI\u0307")
def test_twice_is_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_only_letters_marks_numbers_and_single_spaces_are_left(text: str) -> None:
    words = normalise(text)
    assert words == " ".join(words.split(" ")).strip(" ")
    assert "  " not in words
    assert all(char == " " or category(char)[0] in "LMN" for char in words)
    assert not set(words) & UNSEEN


def test_every_letter_mark_and_number_of_every_script_is_kept() -> None:
    chars = [chr(code) for code in range(0x20000) if category(chr(code))[0] in "LMN"]
    assert len(chars) > 60_000
    assert {char for char in chars if not normalise(char)} == {char for char in UNSEEN if char < "\U00020000"}


@given(st.text(st.characters(exclude_categories=("M", "Cs"))))
def test_case_does_not_matter(text: str) -> None:
    assert normalise(text.casefold()) == normalise(text)
