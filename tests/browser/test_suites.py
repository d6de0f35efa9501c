"""The pages of the bundled samples in a browser: they load, sort, and lead from a number to what is behind it."""

from functools import cache
from pathlib import Path

import pytest

import calipers
from calipers.show.page.build import report_page

from ..hostile import HOSTILE
from ..show.page.reading import data_of, fits

SAMPLES = Path(calipers.__file__).parent / "data"


@cache
def data(suite):
    return data_of(report_page(measured(suite)))


def measured(suite, **options):
    """The report of a sample."""
    folder = SAMPLES / suite
    if suite == "dense":
        return calipers.dense(SAMPLES / "dense.jsonl", bootstrap=50, **options)
    if suite == "timeline":
        tolerances = "0,5,15,30"
        files = folder / "annotations.json", folder / "predictions.json"
        return calipers.timeline(*files, transition_tolerance_frames=tolerances, bootstrap=50, **options)
    if suite == "scene":
        methods = [folder / "pipeline", folder / "clio"]
        return calipers.scene(folder / "gt", methods, config=folder / "eval_config.json", bootstrap=50, **options)
    return calipers.coco(folder / "instances.json", folder / "results.json", bootstrap=50, **options)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_a_page_loads_with_all_its_sections(show, suite, scheme):
    page = show(data(suite), color_scheme=scheme)
    titles = page.locator("section h2").all_inner_texts()  # those of dialogs are not of the result
    assert [section["title"] for section in data(suite)["sections"]] == titles


@pytest.mark.parametrize("suite", ["dense", "scene", "coco"])
def test_a_bar_opens_a_case_that_carries_its_cause(show, suite):
    page = show(data(suite))
    bar = next(
        bar
        for section in data(suite)["sections"]
        if section["kind"] == "bars"
        for bar in section["bars"]
        if "goto" in bar
    )
    page.locator(".bar").first.click()
    carrying = [case["title"] for case in data(suite)["cases"] if fits(data(suite), case, bar["goto"])]
    assert page.locator(".viewer h3").inner_text() == carrying[0]
    assert page.locator(".viewer .canvas .shape").count() > 0


def test_a_video_of_the_table_leads_to_its_strip(show):
    page = show(data("timeline"))
    page.locator("tbody a", has_text="kestrel_avenue_0412.mp4").click()
    strips = next(section for section in data("timeline")["sections"] if section["kind"] == "strips")
    assert len(strips["videos"]) == 19
    assert page.locator(".strip:visible").count() == 1


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_every_slice_leads_to_what_is_in_it(show, suite, tmp_path):
    """Slices stand behind what to fix first and the headline; of several methods each leads to its own cases."""
    data = sliced(suite, tmp_path)
    kinds = [section["kind"] for section in data["sections"]]
    head = kinds.index("dots")
    assert set(kinds[:head]) == {"bars", "cards"}
    assert kinds[head + kinds.count("dots")] not in ("bars", "cards", "dots")
    page = show(data)
    strips = next((section["videos"] for section in data["sections"] if section["kind"] == "strips"), [])
    places = ".kind-strips .tools .count" if strips else ".kind-cases .tools .count"
    for dot in [row for section in data["sections"] if section["kind"] == "dots" for row in section["rows"]]:
        asked = dot["goto"]
        own = [video for video in strips if asked["slice"] in video["slices"]]
        own += [case for case in data["cases"] if carries(case, asked)]
        text = " ".join(f'{facet}:"{value}"' for facet, value in asked.items())
        page.get_by_label("Filter Videos drawn, worst first" if strips else "Filter cases").fill(text)
        assert (text, page.locator(places).inner_text().split()[0]) == (text, str(len(own)))
        assert len(own) > 0


def carries(case, asked):
    return all(value in case["facets"].get(facet, []) for facet, value in asked.items())


def sliced(suite, folder):
    if suite != "timeline":
        return data_of(report_page(measured(suite, slice=["objects", "size"])))
    names = [
        "key,light",
        *(f"{name},{'night' if k % 3 else 'day'}" for k, name in enumerate(measured(suite)["videos"])),
    ]
    (folder / "videos.csv").write_text("\n".join(names), encoding="utf-8")
    return data_of(report_page(measured(suite, slice="light", attributes=folder / "videos.csv")))


def test_a_method_has_no_cases_of_slices_of_another(tmp_path):
    """One prediction of the first method could not be read; the other method has none without a size."""
    found = [
        case["facets"] for case in sliced("scene", tmp_path)["cases"] if "size=(missing)" in case["facets"]["slice"]
    ]
    assert [(facets["key"], facets["method"]) for facets in found] == [(["office"], ["pipeline"])]


def test_hostile_labels_of_every_kind_run_nothing(show):
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9]}
    labelled = {text: [box | {"desc": f"类别={text}"}] for text in HOSTILE}
    records = [{"id": text, "gt_norm1000": found, "pred": [box | {"desc": text}]} for text, found in labelled.items()]
    page = show(data_of(report_page(calipers.dense(records, bootstrap=0))))
    page.locator(".bar").first.click()
    assert page.locator(".viewer .canvas .shape").count() > 0
