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
    folder = SAMPLES / suite
    if suite == "dense":
        report = calipers.dense(SAMPLES / "dense.jsonl", bootstrap=50)
    elif suite == "timeline":
        tolerances = "0,5,15,30"
        files = folder / "annotations.json", folder / "predictions.json"
        report = calipers.timeline(*files, transition_tolerance_frames=tolerances, bootstrap=50)
    elif suite == "scene":
        methods = [folder / "pipeline", folder / "clio"]
        report = calipers.scene(folder / "gt", methods, config=folder / "eval_config.json", bootstrap=50)
    else:
        report = calipers.coco(folder / "instances.json", folder / "results.json", bootstrap=50)
    return data_of(report_page(report))


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


def test_hostile_labels_of_every_kind_run_nothing(show):
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9]}
    labelled = {text: [box | {"desc": f"类别={text}"}] for text in HOSTILE}
    records = [{"id": text, "gt_norm1000": found, "pred": [box | {"desc": text}]} for text, found in labelled.items()]
    page = show(data_of(report_page(calipers.dense(records, bootstrap=0))))
    page.locator(".bar").first.click()
    assert page.locator(".viewer .canvas .shape").count() > 0
