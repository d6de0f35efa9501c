"""The page of the scene suite: the methods side by side, classes, causes, distances, and every scene from above."""

from __future__ import annotations

from functools import partial
from typing import Any

from calipers.show.page import sections as part
from calipers.show.page.cases import Case, WorstCases, drawn_cases, left_out
from calipers.show.page.heads import MOST_ROWS, Tree, facts_of, more_rows, problems, rules
from calipers.show.page.images import Pictures
from calipers.show.page.outlines import Side
from calipers.show.page.sections import Part
from calipers.suites.scene.cases import PAIRED

FIGURES = (
    ("precision", "detection_metrics"),
    ("recall", "detection_metrics"),
    ("f1", "detection_metrics"),
    ("mean_iou_3d", "geometry_metrics"),
    ("mean_centroid_error_m", "geometry_metrics"),
    ("strict_accuracy", "geometry_metrics"),
    ("relaxed_accuracy", "geometry_metrics"),
    ("f1_relaxed", "geometry_metrics"),
    ("osR_relaxed", "benchmark_compat"),
    ("osP_relaxed", "benchmark_compat"),
    ("F1_os", "benchmark_compat"),
)
ERROR = "mean_centroid_error_m"
SPOKEN = {
    "f1": "F1",
    "mean_iou_3d": "mean IoU",
    ERROR: "centroid error, m",
    "strict_accuracy": "strict",
    "relaxed_accuracy": "relaxed",
    "f1_relaxed": "F1 relaxed",
    "osR_relaxed": "osR",
    "osP_relaxed": "osP",
    "F1_os": "F1 open set",
}
HEADLINE = ("f1", "recall", "mean_iou_3d", "mean_centroid_error_m")
MEANINGS = {
    "missed": "ground truth without a partner",
    "unresolved_label": "its label is no known class",
    "no_overlap": "nothing there",
    "low_iou": "overlaps, but too little",
    "wrong_label": "in place, of another class",
    "duplicate": "a box of what is found already",
}
RATES = ("precision", "recall", "f1")


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """Everything the page shows. Without cases it says why there are none."""
    methods, records = tree["methods"], tree["records"]
    tags = _Tags(several=len(methods) > 1)
    shown = drawn_cases(cases.parsed(), cases.limit, tags.of_case, partial(draw_case, tree)) if cases else []
    parts = [*_headline(methods), *_causes(methods, tags), *_case_section(shown, cases, why_not)]
    parts += [*_by_class(methods, tags), *_by_scene(methods), *_differences(tree)]
    parts += [*_ranges(methods), *_precisions(methods), *_nameless(methods)]
    counts = next(iter(methods.values()))["counts"]["gt"] if methods else 0
    return part.page_data(
        " · ".join(methods) or "scenes",
        "scene",
        [*parts, *problems(tree), *rules(tree)],
        subtitle=f"{records['evaluated']:,} scenes · {counts:,} boxes · {len(methods):,} methods",
        facts=facts_of(tree, "iou_threshold", "iou_mode", "require_label_match"),
        cases=shown,
        notes=list(tree["warnings"]),
    )


def tag(cause: str) -> str:
    """A cause as it is read and clicked."""
    return cause.replace("_", " ")


class _Tags:
    """What is clicked, and what cases and boxes carry; of several methods each has its own."""

    def __init__(self, *, several: bool) -> None:
        self._several = several

    def own(self, method: str, word: str) -> str:
        """A cause or a class of a method."""
        return f"{method}: {word}" if self._several else word

    def of_box(self, method: str, box: Tree) -> list[str]:
        """Of a box without a partner; one with a partner has none."""
        if box["state"] in PAIRED:
            return []
        return [self.own(method, tag(box["state"])), self.own(method, box["class"] or box["label"])]

    def of_case(self, case: Case) -> list[str]:
        """Of one scene of one method."""
        found = [case["key"], *([case["method"]] if self._several else [])]
        found += [each for side in ("gt", "pred") for box in case[side] for each in self.of_box(case["method"], box)]
        return list(dict.fromkeys(found))


def _of(method: Tree, name: str) -> tuple[float | None, Any]:
    """A figure of a method, and its interval."""
    home = method[dict(FIGURES)[name]]
    return home.get(name), home.get(f"{name}_interval")


def _headline(methods: Tree) -> list[Part]:
    found = []
    for name, method in methods.items():
        counts, cards = method["counts"], []
        for figure in HEADLINE:
            value, interval = _of(method, figure)
            error = figure.endswith("_m")
            label = SPOKEN.get(figure, figure).removesuffix(", m")
            look: Any = {"kind": "number", "unit": "m", "better": "low"} if error else {}
            cards.append(part.card(label, value, interval, **look))
        said = f"{counts['tp']:,} found · {counts['fn']:,} missed · {counts['fp']:,} false positives"
        found.append(part.cards(name if len(methods) > 1 else "Headline", cards, about=said))
    return [*found, _side_by_side(methods)]


def _side_by_side(methods: Tree) -> Part:
    columns = [part.column("method"), *(part.column(each, "number") for each in ("gt", "pred", "tp", "fp", "fn"))]
    known = [name for name, home in FIGURES if any(name in method[home] for method in methods.values())]
    kinds = {"mean_centroid_error_m": "number", "f1": "bar"}
    columns += [part.column(SPOKEN.get(name, name), kinds.get(name, "rate"), name) for name in known]  # type: ignore[arg-type]
    rows = []
    for name, method in methods.items():
        counts = [method["counts"][each] for each in ("gt", "pred", "tp", "fp", "fn")]
        rows.append([name, *counts, *(_of(method, each)[0] for each in known)])
    return part.table("Methods", columns, rows, goto=list(methods) if len(methods) > 1 else None)


def _differences(tree: Tree) -> list[Part]:
    found = []
    for pair in tree["comparison"][:10]:
        rows = [
            [SPOKEN.get(name, name), each["a"], each["b"], each["difference"], each["interval"]]
            for name, each in pair["metrics"].items()
        ]
        columns = [part.column("metric"), part.column(pair["a"], "rate"), part.column(pair["b"], "rate")]
        columns += [part.column("difference", "difference"), part.column("95 % interval", "differences")]
        title = f"{pair['b']} against {pair['a']}"
        found.append(part.table(title, columns, rows, about="The same scenes, paired."))
    return found


def _causes(methods: Tree, tags: _Tags) -> list[Part]:
    found = []
    for name, method in methods.items():
        counts = {"missed": method["counts"]["fn"], **method["fp_breakdown"]}
        prefix = f"{name}: " if len(methods) > 1 else ""
        for cause in sorted(counts, key=lambda cause: -counts[cause]):
            if counts[cause]:
                tone: Any = "gt" if cause == "missed" else "wrong"
                goto = tags.own(name, tag(cause))
                bar = part.bar(
                    f"{prefix}{tag(cause)}", counts[cause], note=MEANINGS.get(cause, ""), tone=tone, goto=goto
                )
                found.append(bar)
    return [part.bars("Where it goes wrong", found)] if found else []


def _by_class(methods: Tree, tags: _Tags) -> list[Part]:
    found = []
    for name, method in methods.items():
        names = (
            "tp",
            "fp",
            "fn",
            *RATES,
            "mean_iou_3d",
            "strict_accuracy",
            "relaxed_accuracy",
            "mean_centroid_error_m",
        )
        columns = [part.column("class"), *(part.column(each, "number") for each in names[:3])]
        columns += [part.column("precision", "rate"), part.column("recall", "rate"), part.column("F1", "bar")]
        columns += [part.column(SPOKEN[each], "rate") for each in names[6:9]]
        columns += [part.column(SPOKEN[names[9]], "number")]
        rows = [[label, *(row[each] for each in names)] for label, row in method["per_class"].items()]
        title = f"By class, {name}" if len(methods) > 1 else "By class"
        goto = [tags.own(name, row[0]) for row in rows[:MOST_ROWS]]
        if rows:
            found.append(part.table(title, columns, rows[:MOST_ROWS], goto=goto, cut=more_rows(len(rows))))
    return found


def _by_scene(methods: Tree) -> list[Part]:
    rows, tags = [], []
    for name, method in methods.items():
        for scene, row in method["scenes"].items():
            rows.append([scene, name, *(row[each] for each in ("gt", "pred", "tp", "fp", "fn", *RATES, "mean_iou_3d"))])
            tags.append(scene)
    columns = [part.column("scene"), part.column("method")]
    columns += [part.column(each, "number") for each in ("gt", "pred", "tp", "fp", "fn")]
    columns += [part.column("precision", "rate"), part.column("recall", "rate"), part.column("F1", "bar")]
    order = sorted(range(len(rows)), key=lambda place: (rows[place][9] is not None, rows[place][9] or 0))[:MOST_ROWS]
    kept = [rows[place] for place in order]
    cut = more_rows(len(rows))
    columns.append(part.column("mean IoU", "rate"))
    goto = [tags[place] for place in order]
    return [part.table("By scene", columns, kept, goto=goto, cut=cut, sort=(9, "up"))] if rows else []


def _ranges(methods: Tree) -> list[Part]:
    rows = [
        [_reach(row), name, *(row[each] for each in ("gt", "pred", "tp", "fp", "fn", *RATES))]
        for name, method in methods.items()
        for row in method["range"]
    ]
    columns = [part.column("distance"), part.column("method")]
    columns += [part.column(each, "number") for each in ("gt", "pred", "tp", "fp", "fn")]
    columns += [part.column("precision", "rate"), part.column("recall", "rate"), part.column("F1", "bar")]
    return [part.table("By distance", columns, rows)] if rows else []


def _reach(row: Tree) -> str:
    return f"{row['from_m']:g} m and more" if row["to_m"] is None else f"{row['from_m']:g}–{row['to_m']:g} m"


def _precisions(methods: Tree) -> list[Part]:
    """Average precision, where boxes have scores."""
    known = {name: method["ap"] for name, method in methods.items() if method.get("ap")}
    names = [key for key in next(iter(known.values()), {}) if key not in ("by_class", "tied_score_share")]
    rows = [[name, *(ap.get(key) for key in names)] for name, ap in known.items()]
    rows = [row for row in rows if any(value is not None for value in row[1:])]
    columns = [part.column("method"), *(part.column(key.replace("_", " "), "rate") for key in names)]
    return [part.table("Average precision", columns, rows)] if rows and names else []


def _nameless(methods: Tree) -> list[Part]:
    rows = [
        [row["label"], name, row["gt"], row["pred"], ", ".join(row["suggestions"])]
        for name, method in methods.items()
        for row in method["unresolved_labels"]
    ]
    columns = [part.column("label"), part.column("method"), part.column("gt", "number"), part.column("pred", "number")]
    columns.append(part.column("perhaps"))
    cut = more_rows(len(rows))
    return [part.table("Labels without a class", columns, rows[:MOST_ROWS], cut=cut)] if rows else []


# The scenes from above


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Scenes from above", [why_not])] if why_not else []
    about = " ".join(left_out(len(shown), cases.total, "scenes"))
    return [part.cases("Scenes from above", len(shown), cases.total, about=about)]


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """A scene of a method from above."""
    tags = _Tags(several=len(tree["methods"]) > 1)
    left, low, right, high = case["window"]
    said = f"{case['unplaced']:,} without a box, not drawn" if case["unplaced"] else ""
    return part.case(
        f"{case['method']} · {case['key']}",
        f"{case['key']} · {case['method']}",
        _shapes(case, tags),
        (left, low, right, high),
        tags=tags.of_case(case),
        score=case["unmatched"],
        note=said,
        y_up=True,
    )


def _shapes(case: Case, tags: _Tags) -> list[Part]:
    found = []
    places: tuple[tuple[Side, int], ...] = (("gt", len(case["gt"])), ("pred", 0))
    for side, others in places:
        for box in case[side]:
            form, points = _form(box["outline"])
            cause = "" if box["state"] in PAIRED else tag(box["state"])
            partner = None if box["partner"] is None else box["partner"] + others
            own = tags.of_box(case["method"], box)
            shape = part.shape(
                side, form, points, box["label"], cause, partner=partner, overlap=box["iou"], note=_said(box), tags=own
            )
            found.append(shape)
    return found


def _said(box: Tree) -> str:
    return f"class {box['class']}" if box["class"] else "no class"


def _form(outline: list[float]) -> tuple[Any, list[float]]:
    """A box so thin that it is seen as a line, or a point, is drawn as one."""
    if len(outline) >= part.POINTS["poly"]:
        return "poly", outline
    return "line", (outline * 2)[:4]
