"""What a description says: a coarse label (the phase), a fine one (the category), and attributes.

Descriptions come in two forms; one that has an equals sign before its first slash is in the first. Commas and equals
signs may be ASCII or full-width (， ＝) everywhere, and spaces around what is read never count.

**Key=value**, `类别=BBU设备,品牌=华为`: fields between commas. The value of the label key is both labels. A key is
the whole text before a field's first equals sign; of fields with the same key the first counts. A field without an
equals sign says nothing, unless it carries on a free text.

Free text may itself hold commas and equals signs. So after a free-text key only a known key (of the taxonomy, the label
key, or a free-text key) begins a new field; everything up to there is the text, character for character.

**Slash**, `光纤/有遮挡,有保护`: the phase is what stands before the first slash, commas included. Under an umbrella the
category is the first thing after that slash, up to a comma or another slash, or the umbrella itself if nothing is
there; otherwise it is the phase. Without any slash, both labels are what stands before the first comma. This form has
no attributes.

A description that names no label has the empty label, which stands for none: it agrees with no other, not even an empty
one. To honour that is the matcher's part.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.labels.taxonomy import Taxonomy


class Desc:
    """A description, read: `phase`, `category`, and `attributes` in order of appearance (label and free text too)."""

    __slots__ = ("attributes", "category", "phase")

    phase: str
    category: str
    attributes: dict[str, str]

    def __init__(self, phase: str, category: str, attributes: dict[str, str]) -> None:
        self.phase = phase
        self.category = category
        self.attributes = attributes


def parse_desc(
    text: str,
    taxonomy: Taxonomy,
    label_key: str = "类别",
    free_text_keys: tuple[str, ...] = ("文本", "备注"),
) -> Desc:
    """Read one description. Every text has a reading, so nothing is ever refused.

    >>> from calipers.labels.taxonomy import built_in
    >>> parse_desc("类别=标签,文本=4G-RRU3,光纤=2,组=1", built_in()).attributes
    {'类别': '标签', '文本': '4G-RRU3,光纤=2', '组': '1'}
    >>> parse_desc("子类别=甲,类别＝A/B，显示完整", built_in()).category
    'A/B'
    >>> screw = parse_desc("螺丝、光纤插头/BBU安装螺丝,显示完整", built_in())
    >>> screw.phase, screw.category, screw.attributes
    ('螺丝、光纤插头', 'BBU安装螺丝', {})
    >>> parse_desc("螺丝、光纤插头/,显示完整", built_in()).category
    '螺丝、光纤插头'
    >>> parse_desc("品牌=华为", built_in()).phase
    ''
    """
    head, slash, tail = text.partition("/")
    if "=" in head or "＝" in head:
        attributes = _attributes(text, taxonomy.keys, label_key, free_text_keys)
        label = attributes.get(label_key, "")
        return Desc(label, label, attributes)
    phase = head.strip() if slash else _first_part(head)
    category = _first_part(tail) if phase in taxonomy.umbrellas else phase
    return Desc(phase, category or phase, {})


def _first_part(text: str) -> str:
    """What stands before the first comma or slash."""
    return text.replace("，", ",").replace("/", ",").partition(",")[0].strip()


def _attributes(text: str, keys: frozenset[str], label_key: str, free_text_keys: tuple[str, ...]) -> dict[str, str]:
    """The key=value fields of a text, the first of each key."""
    plain = text.replace("，", ",").replace("＝", "=")  # one character for one: a position in it is one in the text
    starts = _field_starts(plain, keys, label_key, free_text_keys)
    attributes: dict[str, str] = {}
    for start, next_start in zip(starts, [*starts[1:], len(text) + 1], strict=True):
        equals = plain.find("=", start, next_start)
        if equals >= 0:
            attributes.setdefault(text[start:equals].strip(), text[equals + 1 : next_start - 1].strip())
    return attributes


def _field_starts(plain: str, keys: frozenset[str], label_key: str, free_text_keys: tuple[str, ...]) -> list[int]:
    """Where the fields begin, leaving out what only carries on a free text."""
    starts = []
    position = 0
    in_free_text = False
    for field in plain.split(","):
        key, equals, _ = field.partition("=")
        key = key.strip()
        is_free = bool(equals) and key in free_text_keys
        if not in_free_text or is_free or (equals and (key in keys or key == label_key)):
            starts.append(position)
            in_free_text = is_free
        position += len(field) + 1
    return starts
