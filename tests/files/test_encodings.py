"""Files in other encodings than UTF-8 are refused with the command that converts them."""

import json

import pytest

import calipers
from calipers.core.errors import InputError

BOX = {"type": "bbox_2d", "points": [1, 1, 20, 20], "desc": "类别=标签"}


@pytest.mark.parametrize(("encoding", "name"), [("gbk", "GB18030"), ("utf-16", "UTF-16")])
def test_iconv_is_named(tmp_path, encoding, name):
    dump, truth = tmp_path / "d.jsonl", tmp_path / "gt.json"
    record = {"id": 1, "gt_norm1000": [BOX], "pred": []}
    dump.write_bytes((json.dumps(record, ensure_ascii=False) + "\n").encode(encoding))
    truth.write_bytes(json.dumps({"视频": {"inside": [[0, 9]]}}, ensure_ascii=False).encode(encoding))
    with pytest.raises(InputError, match=rf"not UTF-8: .*iconv -f {name} -t UTF-8"):
        calipers.dense(dump)
    with pytest.raises(InputError, match=rf"not UTF-8: .*iconv -f {name} -t UTF-8"):
        calipers.timeline(truth, {})


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("desc", ["box", "类别"])
def test_utf_16_without_a_byte_order_mark_names_iconv(tmp_path, encoding, desc):
    box = {"type": "bbox_2d", "points": [1, 1, 9, 9], "desc": desc}
    dump, truth = tmp_path / "d.jsonl", tmp_path / "gt.json"
    dump.write_bytes(json.dumps({"gt_norm1000": [box], "pred": []}, ensure_ascii=False).encode(encoding))
    truth.write_bytes(json.dumps({desc: {"inside": [[0, 9]]}}, ensure_ascii=False).encode(encoding))
    told = r"is it UTF-16\? iconv -f UTF-16LE -t UTF-8 FILE > NEW, or UTF-16BE"
    with pytest.raises(calipers.InputError, match=told):
        calipers.dense(dump)
    with pytest.raises(calipers.InputError, match=told):
        calipers.timeline(truth, {})
