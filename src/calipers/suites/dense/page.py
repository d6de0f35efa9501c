"""The page of the dense suite: headline by label mode, the threshold curve, types and labels, causes, and the records
that went wrong, drawn on the frame of 1000 by 1000 (or in pixels, when they were given so)."""

from __future__ import annotations

from functools import partial

from calipers.core.survey import counted
from calipers.show.causes import cause_words
from calipers.show.page import sections as part
from calipers.show.page.cases import CaseViews, WorstCases, left_out, shown_cases
from calipers.show.page.causes import confusion_part, fix_first_part, label_causes_part
from calipers.show.page.heads import MAX_ROWS, Tree, facts_of, more_rows, problems, rules, title_of
from calipers.show.page.images import Pictures
from calipers.show.page.sections import Part
from calipers.suites.dense.case_parts import FORMS, draw_case, list_case, parse_listed, phase_tag
from calipers.suites.dense.scanned_cases import ScannedCases

RATES = ("precision", "recall", "f1")
CONFUSION = "Matches on the diagonal, then objects in the right place under another label."


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """The data of all sections of the page. Without cases it says why there are none."""
    shown = _drawn(tree, cases, pictures) if cases else []
    records, objects = tree["records"], tree["objects"]
    return part.page_data(
        title_of(tree),
        "dense",
        [*_first(tree), *_case_section(shown, cases, why_not), *_details(tree), *problems(tree), *rules(tree)],
        subtitle=f"{counted(records['evaluated'], 'record')} · {counted(objects['gt'], 'object')} · "
        f"{objects['pred']:,} predicted",
        facts=facts_of(tree, "frame", "primary_threshold", "tube_tolerance"),
        cases=shown,
        notes=[*_remarks(tree), *(pictures.remarks if pictures else [])],
    )


def _first(tree: Tree) -> list[Part]:
    """The sections that come first: headline, errors and labels."""
    by_cause = label_causes_part(tree)
    fixes = fix_first_part({"": tree}, lambda _, cause: {"cause": cause_words(cause)})
    return [*fixes, _headline(tree), *_f1_curves(tree), *by_cause, *_by_label(tree)[:1], *_confusion(tree)]


def _confusion(tree: Tree) -> list[Part]:
    confusion = tree["confusion"]
    rows = [*confusion["matched"], *(pred for row in confusion["matched"].values() for pred in row)]
    names = dict.fromkeys([*rows, *confusion["missed"], *confusion["background"]])
    return confusion_part(confusion, list(names), CONFUSION)


def _details(tree: Tree) -> list[Part]:
    numbers = [_by_type(tree), *_by_label(tree)[1:], *_sweeps(tree), _counts(tree)]
    return [*numbers, *_attributes(tree), *_coverage(tree), *_invalid(tree)]


def _headline(tree: Tree) -> Part:
    modes, first = tree["modes"], headline_mode(tree)
    cards = [_mean_f1(name, modes[name]) for name in sorted(modes, key=lambda name: name != first)]
    primary = modes[first]["primary"]
    for name, tagged in (("precision", None), ("recall", {"cause": cause_words("missed")}), ("f1", None)):
        interval = (primary.get("interval") or {}).get(name)
        spoken = "F1" if name == "f1" else name
        at = f"{first}, overlap ≥ {primary['iou']:g}"
        cards.append(part.card(spoken, primary[name], interval, note=at, goto=tagged))
    return part.cards("Headline", cards)


def headline_mode(tree: Tree) -> str:
    """The strictest mode that was asked for."""
    return "category" if "category" in tree["modes"] else list(tree["modes"])[-1]


def _mean_f1(mode: str, swept: Tree) -> Part:
    levels = [row["iou"] for row in swept["thresholds"]]
    over = f"over {len(levels)} thresholds, {min(levels):g} to {max(levels):g}" if levels else ""
    return part.card(f"mean F1, {mode}", swept["mean_f1"], swept.get("mean_f1_interval"), note=over)


def _f1_curves(tree: Tree) -> list[Part]:
    modes, first = tree["modes"], headline_mode(tree)
    levels = [row["iou"] for row in modes[first]["thresholds"]]
    lines = [part.series(name, levels, _column(mode, "f1"), bold=name == first) for name, mode in modes.items()]
    about = _how_many(tree)
    curves = part.curves("F1 over the threshold", "overlap threshold", "F1", lines, marks=_marks(tree), about=about)
    return [curves] if len(levels) > 1 else []


def _sweeps(tree: Tree) -> list[Part]:
    """Precision, recall and F1 over the sweep, one chart per mode."""
    charts = []
    for name, mode in reversed(tree["modes"].items()):
        levels = [row["iou"] for row in mode["thresholds"]]
        lines = [part.series(what, levels, _column(mode, what), bold=what == "f1") for what in RATES]
        if len(levels) > 1:
            title = f"Precision and recall, {name}"
            charts.append(
                part.curves(title, "overlap threshold", "rate", lines, marks=_marks(tree), about=_how_many(tree))
            )
    return charts


def _how_many(tree: Tree) -> str:
    return f"n {tree['objects']['gt']:,} objects of the ground truth, {tree['objects']['pred']:,} predicted."


def _marks(tree: Tree) -> list[Part]:
    return [part.mark(tree["params"]["primary_threshold"], "primary")]


def _column(mode: Tree, name: str) -> list[float | None]:
    return [row[name] for row in mode["thresholds"]]


def _by_type(tree: Tree) -> Part:
    """In full for the headline, of the other modes F1 alone."""
    modes, first = tree["modes"], headline_mode(tree)
    others = [name for name in modes if name != first]
    columns = [part.column("type"), part.column("ground truth", "number"), part.column("predicted", "number")]
    columns += [part.column(name, "rate", first) for name in ("precision", "recall")]
    columns += [part.column("F1", "bar", first), part.column("mean F1", "rate", f"{first}, over the sweep")]
    columns += [part.column(f"F1, {name}", "rate") for name in others]
    rows = []
    for kind in FORMS:
        own = modes[first]["by_type"][kind]
        row = [kind, *(own["primary"][name] for name in ("gt", "pred", *RATES)), own["mean_f1"]]
        rows.append(row + [modes[name]["by_type"][kind]["primary"]["f1"] for name in others])
    return part.table("By type", columns, rows, goto=list(FORMS))


def _by_label(tree: Tree) -> list[Part]:
    tables = []
    for name, mode in reversed(tree["modes"].items()):
        if mode["by_label"]:
            columns = [part.column(name), *(part.column(column, "number") for column in ("ground truth", "predicted"))]
            columns += [part.column("matched", "number"), part.column("precision", "rate")]
            columns += [part.column("recall", "rate"), part.column("F1", "bar")]
            kept = mode["by_label"][:MAX_ROWS]
            rows = [[row["label"], *(row[column] for column in ("gt", "pred", "matched", *RATES))] for row in kept]
            links = [label_filter(name, row["label"]) for row in kept]
            cut = more_rows(len(mode["by_label"]))
            tables.append(part.table(f"By {name}", columns, rows, goto=links, cut=cut, sort=(1, "down")))
    return tables


def label_filter(mode: str, label: str) -> part.Goto:
    """A label as it is clicked; a phase may be called like a category."""
    return {"label": label} if mode == "category" else phase_tag(label)


def _counts(tree: Tree) -> Part:
    counts = tree["counts"]
    cards = [part.card("mean count error", counts["mae"], kind="number", better="low", note="|predicted − true|")]
    for name, meaning in (("over_rate", "too many"), ("under_rate", "too few")):
        cards.append(part.card(meaning, counts[name], better="low", note="share of records"))
    return part.cards("Counts", [*cards, part.card("as many", counts["equal_rate"], note="share of records")])


def _attributes(tree: Tree) -> list[Part]:
    attributes = tree["attributes"]
    if not attributes["pairs"]:
        return []
    texts, distance = attributes["text"], attributes["distance"]
    cards = [part.card("attribute F1", attributes["f1"], note=f"over {attributes['pairs']:,} pairs in place")]
    for name, figures in texts.items():
        cards.append(part.card(f"{name} exact", figures["exact"], note=f"n {figures['n']:,}"))
        cards.append(part.card(f"{name} similarity", figures["similarity"], note=f"n {figures['n']:,}"))
    if distance["n"]:
        cards.append(
            part.card("distance error", distance["mae"], kind="number", better="low", note="mean, where both say one")
        )
    columns = [part.column("key"), *(part.column(title, "number") for title in ("ground truth", "predicted", "equal"))]
    rows = [
        [key, *(row[figure] for figure in ("gt", "pred", "matched", "accuracy"))]
        for key, row in attributes["by_key"].items()
    ]
    table = part.table(
        "By attribute", [*columns, part.column("accuracy", "bar")], rows[:MAX_ROWS], cut=more_rows(len(rows))
    )
    return [part.cards("Attributes", cards), *([table] if rows else [])]


def _coverage(tree: Tree) -> list[Part]:
    cards = []
    for name, note in (("best", "of true lines, by the best prediction"), ("matched", "of matched lines")):
        rates = tree["coverage"][name]
        if rates["n"]:
            about = f"{note}, n {rates['n']:,}"
            cards += [part.card(f"line {what}", rates[what], note=about) for what in ("recall", "precision")]
    return [part.cards("Coverage of lines", cards)] if cards else []


def _invalid(tree: Tree) -> list[Part]:
    reasons = tree["invalid_reasons"]
    if not reasons:
        return []
    rows = [[name, n] for name, n in reasons.items()]
    about = "They count as predictions that match nothing."
    columns = [part.column("what is wrong"), part.column("predictions", "number")]
    return [part.table("Invalid predictions", columns, rows, goto=["invalid"] * len(rows), about=about)]


def _remarks(tree: Tree) -> list[str]:
    objects, nameless = tree["objects"], tree["unlabelled"]
    remarks = []
    if nameless["gt"] or nameless["pred"]:
        sides = f"{nameless['gt']:,} true and {nameless['pred']:,} predicted objects"
        remarks.append(f"{sides} have no label, and such match nothing by label.")
    if objects["clamped"]:
        remarks.append(f"{objects['clamped']:,} predictions reach outside the frame and were cut at its edge.")
    return remarks


# The records that went wrong


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Failures", [why_not])] if why_not else []
    about = " ".join(left_out(shown, cases.total, "records"))
    return [part.cases("Failures", len(shown), cases.total, about=about)]


def _drawn(tree: Tree, cases: WorstCases, pictures: Pictures | None) -> list[Part]:
    views = CaseViews.of(list_case, partial(draw_case, tree, pictures=pictures), partial(draw_case, tree), parse_listed)
    return shown_cases(cases, ScannedCases(tree, pictures, views).views())
