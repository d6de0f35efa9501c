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
there; otherwise it is the phase. Without any slash, both labels are what stands before the first comma. What follows
the label, up to the end and between commas and slashes, are unnamed attributes: a set, so order and repetition do not
count. Of the label 标签 all of it is also its text (`文本`), and of 站点距离 the first of it is also its distance.

A description that names no label has the empty label, which stands for none: it agrees with no other, not even an empty
one. To honour that is the matcher's part.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.suites.dense.taxonomy import Taxonomy


TEXT_LABEL, TEXT_KEY = "标签", "文本"  # what follows this label is a text that was read, and the key for it
DISTANCE_KEY = "站点距离"  # both a label and a key
NOTHING: dict[str, str] = {}
SEPARATORS = frozenset(",，=＝")  # of fields, and of a key from its value
A_KEY = "a key as fields have it, without commas, equals signs, or spaces around it"


class Desc:
    """A description, read: `phase`, `category`, and what it says of the object.

    `attributes` are those with a key, in order of appearance (label and free text too); `unnamed` those of the slash
    form. `implied` is what some of the unnamed ones are by their label, text or distance, under the key for it.
    """

    __slots__ = ("attributes", "category", "implied", "phase", "unnamed")

    phase: str
    category: str
    attributes: dict[str, str]
    unnamed: frozenset[str]
    implied: dict[str, str]

    def __init__(
        self,
        phase: str,
        category: str,
        attributes: dict[str, str],
        unnamed: frozenset[str] = frozenset(),
        implied: dict[str, str] = NOTHING,
    ) -> None:
        self.phase = phase
        self.category = category
        self.attributes = attributes
        self.unnamed = unnamed
        self.implied = implied


def parse_desc(
    text: str,
    taxonomy: Taxonomy,
    label_key: str = "类别",
    free_text_keys: tuple[str, ...] = ("文本", "备注"),
) -> Desc:
    """Read one description. Every text has a reading, so nothing is ever refused.

    >>> from calipers.suites.dense.taxonomy import built_in
    >>> parse_desc("类别=标签,文本=4G-RRU3,光纤=2,组=1", built_in()).attributes
    {'类别': '标签', '文本': '4G-RRU3,光纤=2', '组': '1'}
    >>> parse_desc("子类别=甲,类别＝A/B，显示完整", built_in()).category
    'A/B'
    >>> screw = parse_desc("螺丝、光纤插头/BBU安装螺丝,显示完整", built_in())
    >>> screw.phase, screw.category, screw.attributes, screw.unnamed
    ('螺丝、光纤插头', 'BBU安装螺丝', {}, frozenset({'显示完整'}))
    >>> parse_desc("标签/ODF-04/10 至 RRU2,光纤=2", built_in()).implied
    {'文本': 'ODF-04/10 至 RRU2,光纤=2'}
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
    phase, rest = (head.strip(), tail) if slash else _split(head)
    category = phase
    if slash and phase in taxonomy.umbrellas:
        kind, rest = _split(rest)
        category = kind or phase
    return Desc(phase, category, {}, frozenset(_pieces(rest)), _implied(phase, rest))


def is_key(value: object) -> bool:
    """Whether a field of a description can have this key.

    >>> is_key("类别"), is_key(" 类别"), is_key("a,b"), is_key("a＝b"), is_key("")
    (True, False, False, False, False)
    """
    return isinstance(value, str) and value != "" and value == value.strip() and not set(value) & SEPARATORS


def _split(text: str) -> tuple[str, str]:
    """What stands before the first comma or slash, and what behind it."""
    first = text.replace("，", ",").replace("/", ",").partition(",")[0]
    return first.strip(), text[len(first) + 1 :]


def _pieces(text: str) -> list[str]:
    """What stands between commas and slashes, where something does."""
    return [piece for part in text.replace("，", ",").replace("/", ",").split(",") if (piece := part.strip())]


def _implied(label: str, rest: str) -> dict[str, str]:
    """What follows a label whose text or distance it is.

    >>> _implied("站点距离", "98米,看不清"), _implied("标签", " a/b, c "), _implied("光纤", "有遮挡")
    ({'站点距离': '98米'}, {'文本': 'a/b, c'}, {})
    """
    if label == TEXT_LABEL and rest.strip():
        return {TEXT_KEY: rest.strip()}
    distance = _split(rest)[0] if label == DISTANCE_KEY else ""
    return {DISTANCE_KEY: distance} if distance else NOTHING


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
