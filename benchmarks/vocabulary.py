"""What the made-up objects are: labels of a telecom site inspection, their attributes, and how a desc is spelt.

A desc has two spellings: key=value (`类别=BBU安装螺丝,可见性=完整,符合性=符合`) and the older slash form
(`螺丝、光纤插头/BBU安装螺丝,显示完整,符合要求`), where five labels hide under one umbrella.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

Attributes = dict[str, str]

UMBRELLA = "螺丝、光纤插头"


@dataclass(frozen=True)
class Kind:
    """One label: its shapes, their size, its share, and the values of each attribute ("" leaves the attribute out)."""

    label: str
    types: tuple[str, ...]
    size: tuple[int, int]
    share: int
    values: dict[str, tuple[str, ...]]
    umbrella: bool = False


SEEN = ("完整", "完整", "部分")
MEETS = ("符合", "符合", "符合", "不符合")
SCREW = {"可见性": SEEN, "符合性": MEETS, "问题": ("未拧紧", "露铜", "复接", "生锈"), "备注": ("", "*")}
PLUG = {"可见性": SEEN, "符合性": MEETS, "问题": ("未插紧", "无保护帽", "弯折过大"), "备注": ("", "*")}
REGION = ("bbox_2d", "poly")
BOX = ("bbox_2d",)
LINE = ("line",)
MANY = tuple(str(number) for number in range(1, 7))
METRES = tuple(str(number) for number in range(14, 240, 14))

KINDS = (
    Kind("BBU设备", REGION, (160, 300), 8, {
        "品牌": ("华为", "中兴", "爱立信", "诺基亚"), "可见性": SEEN, "挡风板需求": ("免装", "需要安装"),
        "挡风板符合性": ("", "符合", "不符合"), "备注": ("", "*")}),
    Kind("挡风板", REGION, (90, 260), 6, {
        "品牌": ("华为", "中兴", "爱立信"), "可见性": SEEN, "安装方向": ("方向正确", "方向错误"),
        "备注": ("", "*")}),
    Kind("机柜空间", REGION, (140, 300), 4, {"可见性": SEEN, "备注": ("", "*")}),
    Kind("BBU安装螺丝", BOX, (20, 60), 18, SCREW, umbrella=True),
    Kind("机柜处接地螺丝", BOX, (20, 70), 9, SCREW, umbrella=True),
    Kind("地排处接地螺丝", BOX, (20, 70), 9, SCREW, umbrella=True),
    Kind("ODF端光纤插头", REGION, (30, 110), 10, PLUG, umbrella=True),
    Kind("BBU端光纤插头", REGION, (30, 110), 14, PLUG, umbrella=True),
    Kind("标签", REGION, (40, 160), 22, {"文本": ("*",), "可读性": ("", "", "", "", "不可读")}),
    Kind("站点距离", BOX, (60, 150), 6, {"站点距离": METRES}),
    Kind("RRU设备", REGION, (120, 280), 4, {"安装状态": ("合格", "不合格"), "组": MANY, "备注": ("", "*")}),
    Kind("紧固件", BOX, (20, 70), 5, {"安装状态": ("合格", "不合格"), "组": MANY, "备注": ("", "*")}),
    Kind("光纤", LINE, (180, 600), 10, {
        "可见性": SEEN, "保护措施": ("有保护", "有保护", "无保护"), "弯曲半径": ("合理", "不合理"),
        "保护细节": ("蛇形管", "铠装", "同时有蛇形管和铠装"), "备注": ("", "*")}),
    Kind("电线", LINE, (120, 500), 6, {"可见性": SEEN, "捆扎": ("整齐", "散乱"), "备注": ("", "*")}),
    Kind("尾纤", LINE, (120, 420), 5, {
        "标签": ("有标签", "无标签"), "套管保护": ("有套管", "无套管"), "组": MANY, "备注": ("", "*")}),
    Kind("接地线", LINE, (100, 320), 4, {"标签": ("有标签", "无标签"), "组": MANY, "备注": ("", "*")}),
)  # fmt: skip

REMARKS = (
    "被线缆遮挡,看不清", "画面过暗,需补光后复拍", "右侧超出画面", "反光,需复拍", "疑似生锈,请现场确认",
    "编号=A-17,待核实", "与图纸不一致,位置偏下", "拍摄角度倾斜,无法判断", "距离过远,细节不清晰",
)  # fmt: skip
MOOT = (  # with this value of this key, that key is left out
    ("符合性", "符合", "问题"),
    ("可读性", "不可读", "文本"),
    ("保护措施", "无保护", "保护细节"),
)
WORDING = {  # how the slash form words a value
    "完整": "显示完整", "部分": "只显示部分", "符合": "符合要求", "不符合": "不符合要求", "合理": "半径合理",
    "不合理": "半径不合理", "整齐": "捆扎整齐", "散乱": "分布散乱", "不可读": "无法识别",
}  # fmt: skip


def kinds_of(shape_type: str) -> list[Kind]:
    return [kind for kind in KINDS if shape_type in kind.types]


def one_of(rng: Random, kinds: list[Kind]) -> Kind:
    return rng.choices(kinds, [kind.share for kind in kinds])[0]


def attributes(rng: Random, kind: Kind) -> Attributes:
    """Values drawn for every attribute of the kind; free text where a value is `*`."""
    found = {key: rng.choice(values) for key, values in kind.values.items()}
    for key, value, moot in MOOT:
        if found.get(key) == value:
            found[moot] = ""
    return {key: free_text(rng, key) if value == "*" else value for key, value in found.items() if value}


def free_text(rng: Random, key: str) -> str:
    return rng.choice(REMARKS) if key == "备注" else label_text(rng)


def label_text(rng: Random) -> str:
    """What is printed on a cable label; commas, equals signs and slashes included."""
    net, unit, number = rng.choice(("4G", "5G", "NR", "LTE")), rng.choice(("RRU", "AAU", "BBU")), rng.randint(1, 6)
    end = rng.choice(("光纤", "尾纤", "电源线", "接地线"))
    return rng.choice((
        f"{net}-{unit}{number}-{end}",
        f"{net}-{unit}{number},{end}={rng.randint(1, 4)}",
        f"ODF-{rng.randint(1, 8):02}/{rng.randint(1, 24):02} 至 {unit}{number}",
        f"本端:{unit}{number} 端口={rng.randint(0, 5)},对端:ODF-{rng.randint(1, 8):02}",
        f"{rng.randint(1, 9)}楼机房 {net} {end}",
    ))  # fmt: skip


def key_value(kind: Kind, found: Attributes) -> str:
    return ",".join(f"{key}={value}" for key, value in {"类别": kind.label, **found}.items())


def slashed(kind: Kind, found: Attributes) -> str:
    """`phase/value,value`; the protection of a fibre is one level further down."""
    detail = found.get("保护细节")
    words = [WORDING.get(value, value) for key, value in found.items() if key != "保护细节"]
    if kind.umbrella:
        words.insert(0, kind.label)
    levels = [UMBRELLA if kind.umbrella else kind.label, ",".join(words), detail]
    return "/".join(level for level in levels if level)
