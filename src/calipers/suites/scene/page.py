"""The page of the scene suite: the methods side by side, classes, causes, distances, and every scene from above."""

from __future__ import annotations

from functools import partial
from typing import Any

from calipers.core.survey import counted
from calipers.show.causes import cause_words
from calipers.show.page import sections as part
from calipers.show.page.calibration import calibration_parts
from calipers.show.page.cases import Case, CaseViews, WorstCases, beside_each_other, left_out, shown_cases
from calipers.show.page.causes import NO_LABEL, fix_first_part, label_causes_part
from calipers.show.page.heads import MAX_ROWS, Tree, facts_of, more_rows, problems, rules
from calipers.show.page.images import Pictures
from calipers.show.page.listing import ErrorFacets, listing, slice_facets
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
    "unresolved_label": "its label is no known class",
    "no_overlap": "nothing there",
    "low_iou": "overlaps, but too little",
    "wrong_label": "in place, of another class",
    "duplicate": "a further box of an object that is matched",
}
RATES, PLACED = ("precision", "recall", "f1"), ("mean_iou_3d", "strict_accuracy", "relaxed_accuracy")
PER_CLASS = ("tp", "fp", "fn", *RATES, *PLACED, ERROR)


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """The data of all sections of the page. Without cases it says why there are none."""
    methods, records = tree["methods"], tree["records"]
    shown = _shown_scenes(tree, cases) if cases else []
    parts = [*_fix_first(methods), *_headline(methods), *_by_scene(methods), *_label_causes(methods)]
    parts += [*_case_section(shown, cases, why_not), *_by_class(methods), *_differences(tree)]
    parts += [*_false_positives(methods), *_ranges(methods), *_precisions(methods)]
    parts += [*_calibrations(methods), *_nameless(methods)]
    boxes = counted(next(iter(methods.values()))["counts"]["gt"] if methods else 0, "box", "boxes")
    return part.page_data(
        " · ".join(methods) or "scenes",
        "scene",
        [*parts, *problems(tree), *rules(tree)],
        subtitle=f"{counted(records['evaluated'], 'scene')} · {boxes} · {counted(len(methods), 'method')}",
        facts=facts_of(tree, "iou_threshold", "iou_mode", "require_label_match"),
        cases=shown,
        notes=list(tree["warnings"]),
    )


def false_positive(state: str) -> str:
    """The tag of a box that the method made up, by what there is in its place.

    >>> false_positive("no_overlap")
    'false positive, no overlap'
    """
    return f"false positive, {state.replace('_', ' ')}"


def _error(box: Tree) -> ErrorFacets:
    """Cause, class and tags that the error of a box is filtered by."""
    state = box.get("state")
    under, own = _counted_under(box), box["class"] or NO_LABEL
    tags = (false_positive(state),) if state in MEANINGS else ()
    return ErrorFacets(_cause(box), under, tags, "" if own == under else own)


def _counted_under(box: Tree) -> str:
    """The class that the error of a box counts under: in an error of two boxes that of the ground truth."""
    return str(box.get("under") or box["class"] or NO_LABEL)


def _wrong_boxes(case: Case) -> list[Tree]:
    """The boxes of both sides that are wrong, and predictions without a box."""
    return [box for box in (*case["gt"], *case["pred"], *case["unplaced_pred"]) if _cause(box)]


def _figure_of(method: Tree, name: str) -> tuple[float | None, Any]:
    """A figure of a method, and its interval."""
    home = method[dict(FIGURES)[name]]
    return home.get(name), home.get(f"{name}_interval")


def _headline(methods: Tree) -> list[Part]:
    sections = []
    for name, method in methods.items():
        counts, cards = method["counts"], []
        for figure in HEADLINE:
            value, interval = _figure_of(method, figure)
            error = figure.endswith("_m")
            label = SPOKEN.get(figure, figure).removesuffix(", m")
            look: Any = {"kind": "number", "unit": "m", "better": "low"} if error else {}
            cards.append(part.card(label, value, interval, **look))
        note = f"{counts['tp']:,} found · {counts['fn']:,} missed · {counts['fp']:,} false positives"
        section = part.cards(name if len(methods) > 1 else "Headline", cards, about=note)
        sections.append(section | ({"half": True} if len(methods) > 1 else {}))
    return [*sections, _side_by_side(methods)]


def _side_by_side(methods: Tree) -> Part:
    columns = [part.column("method"), *(part.column(column, "number") for column in ("gt", "pred", "tp", "fp", "fn"))]
    figures = [name for name, home in FIGURES if any(name in method[home] for method in methods.values())]
    kinds = {"mean_centroid_error_m": "number", "f1": "bar"}
    columns += [part.column(SPOKEN.get(name, name), kinds.get(name, "rate"), name) for name in figures]  # type: ignore[arg-type]
    rows = []
    for name, method in methods.items():
        counts = [method["counts"][column] for column in ("gt", "pred", "tp", "fp", "fn")]
        rows.append([name, *counts, *(_figure_of(method, column)[0] for column in figures)])
    goto = [_own(name, methods) for name in methods] if len(methods) > 1 else None
    return part.table("Methods", columns, rows, goto=goto)


def _differences(tree: Tree) -> list[Part]:
    sections = []
    for pair in tree["comparison"][:10]:
        rows = [
            [SPOKEN.get(name, name), difference["a"], difference["b"], difference["difference"], difference["interval"]]
            for name, difference in pair["metrics"].items()
        ]
        columns = [part.column("metric"), part.column(pair["a"], "rate"), part.column(pair["b"], "rate")]
        columns += [part.column("difference", "difference"), part.column("95 % interval", "differences")]
        title = f"{pair['b']} against {pair['a']}"
        sections.append(part.table(title, columns, rows, about="The same scenes, paired."))
    return sections


def _titled(title: str, name: str, methods: Tree) -> str:
    """The title of a section that each method has."""
    return f"{title}, {name}" if len(methods) > 1 else title


def _own(name: str, methods: Tree) -> dict[str, str]:
    """The filter for the cases of a method, where there are several."""
    return {"method": name} if len(methods) > 1 else {}


def _cause_filter(own: dict[str, str], _: str, cause: str) -> part.Goto:
    return own | {"cause": cause_words(cause)}


def _fix_first(methods: Tree) -> list[Part]:
    """What to fix first, for each method; two of these sections stand side by side."""
    sections = []
    for name, method in methods.items():
        goto = partial(_cause_filter, _own(name, methods))
        parts = fix_first_part({"": method}, goto, words="F1 with classes that agree")
        sections += [section | {"title": _titled(section["title"], name, methods)} for section in parts]
    return sections


def _label_causes(methods: Tree) -> list[Part]:
    sections = []
    for name, method in methods.items():
        sections += label_causes_part(method, _titled("Classes by cause", name, methods), _own(name, methods))
    return sections


def _false_positives(methods: Tree) -> list[Part]:
    """What there is in the place of predictions that have no partner, as the seed's protocol tells it."""
    sections = []
    for name, method in methods.items():
        counts = {state: n for state, n in method["fp_breakdown"].items() if n}
        bars = [
            part.bar(
                state.replace("_", " "),
                counts[state],
                note=MEANINGS.get(state, ""),
                tone="wrong",
                goto=_own(name, methods) | {"tag": false_positive(state)},
            )
            for state in sorted(counts, key=lambda state: -counts[state])
        ]
        if bars:
            sections.append(part.bars(_titled("False positives", name, methods), bars))
    return sections


def _by_class(methods: Tree) -> list[Part]:
    """One row for each class; of several methods each has its columns, side by side."""
    classes = list(dict.fromkeys(label for method in methods.values() for label in method["per_class"]))
    if not classes:
        return []
    several = len(methods) > 1
    shown = ("tp", "fp", "fn", "f1", "mean_iou_3d") if several else PER_CLASS
    columns = [part.column("class")]
    for name in methods:
        columns += [part.column(_headed(figure, name if several else ""), _kind(figure), figure) for figure in shown]
    rows = [[label, *_of_class(label, methods, shown)] for label in classes[:MAX_ROWS]]
    goto = [{"label": row[0]} for row in rows]
    return [part.table("By class", columns, rows, goto=goto, cut=more_rows(len(classes)))]


def _of_class(label: str, methods: Tree, shown: tuple[str, ...]) -> list[Any]:
    of_methods = [method["per_class"].get(label, {}) for method in methods.values()]
    return [row.get(figure) for row in of_methods for figure in shown]


def _by_scene(methods: Tree) -> list[Part]:
    """One row for each scene; of several methods each has its columns, side by side."""
    scenes = list(dict.fromkeys(scene for method in methods.values() for scene in method["scenes"]))
    if not scenes:
        return []
    several = len(methods) > 1
    shown = ("tp", "fp", "fn", "f1") if several else ("pred", "tp", "fp", "fn", *RATES, "mean_iou_3d")
    columns = [part.column("scene"), part.column("gt", "number")]
    for name in methods:
        columns += [part.column(_headed(figure, name if several else ""), _kind(figure), figure) for figure in shown]
    rows = [_scene_row(scene, methods, shown) for scene in scenes]
    worst = 2 + shown.index("f1")
    rows.sort(key=lambda row: (row[worst] is not None, row[worst] or 0))
    listed = rows[:MAX_ROWS]
    goto, cut = [{"key": row[0]} for row in listed], more_rows(len(rows))
    return [part.table("By scene", columns, listed, goto=goto, cut=cut, sort=(worst, "up"))]


def _headed(figure: str, method: str) -> str:
    """A column of a table with several methods.

    >>> _headed("f1", "ours"), _headed("mean_iou_3d", "")
    ('ours F1', 'mean IoU')
    """
    return f"{method} {SPOKEN.get(figure, figure)}".strip()


def _kind(figure: str) -> part.ColumnKind:
    return "bar" if figure == "f1" else "rate" if figure in (*RATES, *PLACED) else "number"


def _scene_row(scene: str, methods: Tree, shown: tuple[str, ...]) -> list[Any]:
    of_methods = [method["scenes"].get(scene, {}) for method in methods.values()]
    gt = next((row["gt"] for row in of_methods if row), None)
    return [scene, gt, *(row.get(figure) for row in of_methods for figure in shown)]


def _ranges(methods: Tree) -> list[Part]:
    rows = [
        [_reach(row), name, *(row[column] for column in ("gt", "pred", "tp", "fp", "fn", *RATES))]
        for rows_of_range in zip(*(method["range"] for method in methods.values()), strict=False)
        for name, row in zip(methods, rows_of_range, strict=True)
    ]
    columns = [part.column("distance"), part.column("method")]
    columns += [part.column(column, "number") for column in ("gt", "pred", "tp", "fp", "fn")]
    columns += [part.column("precision", "rate"), part.column("recall", "rate"), part.column("F1", "bar")]
    return [part.table("By distance", columns, rows)] if rows else []


def _reach(row: Tree) -> str:
    return f"{row['from_m']:g} m and more" if row["to_m"] is None else f"{row['from_m']:g}–{row['to_m']:g} m"


def _precisions(methods: Tree) -> list[Part]:
    """Average precision, where boxes have scores."""
    ap_by_method = {name: method["ap"] for name, method in methods.items() if method.get("ap")}
    names = [key for key in next(iter(ap_by_method.values()), {}) if key not in ("by_class", "tied_score_share")]
    rows = [[name, *(ap.get(key) for key in names)] for name, ap in ap_by_method.items()]
    rows = [row for row in rows if any(value is not None for value in row[1:])]
    columns = [part.column("method"), *(part.column(key.replace("_", " "), "rate") for key in names)]
    return [part.table("Average precision", columns, rows)] if rows and names else []


def _calibrations(methods: Tree) -> list[Part]:
    """What scores are worth, where boxes have some."""
    names = {name: name if len(methods) > 1 else "" for name in methods}
    return [section for name, method in methods.items() for section in calibration_parts(method, names[name])]


def _nameless(methods: Tree) -> list[Part]:
    rows = [
        [row["label"], name, row["gt"], row["pred"], ", ".join(row["suggestions"])]
        for name, method in methods.items()
        for row in method["unresolved_labels"]
    ]
    columns = [part.column("label"), part.column("method"), part.column("gt", "number"), part.column("pred", "number")]
    columns.append(part.column("perhaps"))
    cut = more_rows(len(rows))
    return [part.table("Labels without a class", columns, rows[:MAX_ROWS], cut=cut)] if rows else []


# The scenes from above


def _shown_scenes(tree: Tree, cases: WorstCases) -> list[Part]:
    drawn = shown_cases(cases, CaseViews.of(list_case, partial(draw_case, tree)))
    return beside_each_other(drawn, "key", "method", list(tree["methods"]))


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Scenes from above", [why_not])] if why_not else []
    about = " ".join(left_out(shown, cases.total, "scenes"))
    return [part.cases("Scenes from above", len(shown), cases.total, about=about)]


def list_case(case: Case) -> Part:
    """A scene of a method as it is listed, with all its boxes that are wrong."""
    errors = [_error(box) for box in _wrong_boxes(_with_labels(case))]
    facets = {"key": [case["key"]], "method": [case["method"]]} | slice_facets(case)
    key, title = f"{case['method']} · {case['key']}", f"{case['key']} · {case['method']}"
    return listing(key, title, errors, facets=facets, score=case["unmatched"])


def _with_labels(case: Case) -> Case:
    """A scene whose predictions know the class that an error of two boxes counts under."""
    truth = case["gt"]
    under = [None if (at := box.get("error_with")) is None else truth[at]["class"] for box in case["pred"]]
    return case | {"pred": [box | {"under": name} for box, name in zip(case["pred"], under, strict=True)]}


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """Draw a scene of a method from above."""
    left, low, right, high = case["window"]
    note = f"{case['unplaced']:,} without a box, not drawn" if case["unplaced"] else ""
    return part.drawn_case(
        list_case(case),
        _shapes(_with_labels(case)),
        (left, low, right, high),
        note=note,
        y_up=True,
    )


def _shapes(case: Case) -> list[Part]:
    shapes = []
    places: tuple[tuple[Side, int], ...] = (("gt", len(case["gt"])), ("pred", 0))
    for side, others in places:
        for box in case[side]:
            form, points = _form(box["outline"])
            to = box.get("error_with", box["partner"])
            shapes.append(
                part.shape(
                    side,
                    form,
                    points,
                    box["label"],
                    _cause(box),
                    partner=None if to is None else to + others,
                    overlap=box["iou"],
                    note=_class_note(box),
                    state="wrong" if _cause(box) else None,
                    **(_asked_for(box) if _cause(box) else {}),
                )
            )
    return shapes


def _asked_for(box: Tree) -> dict[str, Any]:
    error = _error(box)
    return {"tags": error.tags, "under": error.label}


def _cause(box: Tree) -> str:
    """Why a box is wrong: by class and place, or, where labels need not agree, because nothing is left for it."""
    if "cause" in box:
        return cause_words(box["cause"])
    return "" if box["state"] in PAIRED else str(box["state"]).replace("_", " ")


def _class_note(box: Tree) -> str:
    """The class of a box where that is not its label, and whether it counts all the same."""
    named = f"class {box['class']}" if box["class"] else "no class"
    notes = [*([] if box["class"] == box["label"] else [named])]
    return " · ".join([*notes, *(["has a partner, as classes need not agree"] if _counts_all_the_same(box) else [])])


def _counts_all_the_same(box: Tree) -> bool:
    return box["state"] in PAIRED and "cause" in box


def _form(outline: list[float]) -> tuple[Any, list[float]]:
    """A box so thin that it is seen as a line, or a point, is drawn as one."""
    if len(outline) >= part.POINTS["poly"]:
        return "poly", outline
    return "line", (outline * 2)[:4]
