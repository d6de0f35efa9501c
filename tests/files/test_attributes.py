"""Files of attributes, good and bad."""

import pytest

from calipers.core.errors import InputError
from calipers.files.attributes import read_attributes


def rows(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_attributes(str(path)).rows


def test_columns_of_a_csv_are_numbers_if_all_cells_are(tmp_path):
    made = rows(tmp_path, "key,speed,site\na.jpg,10,7\nb.jpg,,x\n")
    assert made == {"a.jpg": {"speed": 10.0, "site": "7"}, "b.jpg": {"site": "x"}}


def test_lines_of_json_keep_their_kinds(tmp_path):
    made = rows(tmp_path, '\ufeff{"key": 7, "speed": 1.5, "site": null}\n\n{"key": "b", "wet": true}\n', "a.jsonl")
    assert made == {"7": {"speed": 1.5, "site": None}, "b": {"wet": True}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected CSV or JSON lines with a column 'key': the file name or id of an image, or the name of a video"),
        ("name,speed\na,1\n", "found the columns 'name, speed'"),
        ("key,a,a\nx,1,2\n", "each column once"),
        ("key,speed\n", "no rows, expected"),
        ("key,speed\na,1\na,2\n", "'a' is there twice"),
        ("key,speed\na,1,2\n", "another number of cells"),
        ("key,speed\n,1\n", "key: found ''"),
        ('"key"6,speed\na,1\n', ":1: is not CSV"),
        ('{"key": "a"}\n{"key": "a"}\n', ":2: key: 'a' is there twice"),
        ('{"key": "a"}\nnope\n', ":2: is not JSON"),
        ('{"speed": 1}\n', "key: found None"),
        ('{"key": true}\n', "key: found True"),
        ('{"key": 1}\n[1]\n', "expected an object with a key"),
    ],
)
def test_a_file_that_cannot_be_meant_is_an_error_with_its_place(tmp_path, text, problem):
    with pytest.raises(InputError, match=problem):
        rows(tmp_path, text)


def test_bytes_that_are_no_text_are_an_error(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"key,a\n\xff,1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_attributes(str(tmp_path / "a.csv"))
    (tmp_path / "a.csv").write_bytes("key,a\nb,1\n".encode("utf-16"))
    with pytest.raises(
        InputError, match=r"not UTF-8 \(is it UTF-16\? iconv -f UTF-16 -t UTF-8 FILE > NEW\), expected CSV"
    ):
        read_attributes(str(tmp_path / "a.csv"))
