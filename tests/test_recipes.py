"""The recipes of docs/recipes.md, run: with the package itself where it is installed, else with a stand-in for it.

Run for real with lightning 2.6.6, transformers 5.23.0, trl 1.16.0, wandb 0.31.0 (offline), mlflow-skinny 3.17.2,
tensorboard 2.21.0 with torch 2.13.0 (CPU), and inspect_ai 0.3.285. Trainers of TRL need a model; its reward is called
as they call it.
"""

import asyncio
import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import calipers

ROOT = Path(__file__).parents[1]
BOX = {"boxes": np.array([[0.0, 0.0, 10.0, 10.0]], np.float32), "labels": np.array([1])}
FOUND = {**BOX, "boxes": np.array([[0.0, 0.0, 10.0, 9.0]], np.float32), "scores": np.array([0.8], np.float32)}
AP = 0.9  # right at nine of ten thresholds


def recipe(heading):
    """What the block under a heading defines."""
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names = {}
    exec(compile(code, f"recipes.md: {heading}", "exec"), names)
    return SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})


@pytest.fixture
def stand_in(monkeypatch):
    """Puts a module in place of one that is not installed; says whether it did."""

    def put(name, **content):
        if name in sys.modules or ("." not in name and find_spec(name)):
            return False
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
        return True

    return put


def report():
    meter = calipers.CocoMeter(bootstrap=0)
    meter.update([FOUND], [BOX])
    return meter.compute()


class PlainModule:
    """As much of a LightningModule as the recipe uses."""

    def __init__(self):
        self.logged = {}

    def __call__(self, images):
        return self.forward(images)

    def log_dict(self, numbers):
        self.logged |= numbers


def test_lightning(stand_in, tmp_path):
    plain = stand_in("lightning", LightningModule=PlainModule)
    detector = recipe("Lightning").Detector
    detector.forward = lambda self, images: [FOUND] * len(images)
    model = detector()
    if plain:
        model.on_validation_epoch_start()
        model.validation_step(([0, 0], [BOX, BOX]), 0)
        model.on_validation_epoch_end()
        logged = model.logged
    else:
        import lightning
        from torch.utils.data import DataLoader

        trainer = lightning.Trainer(
            accelerator="cpu", logger=False, enable_progress_bar=False, default_root_dir=tmp_path, barebones=False
        )
        loader = DataLoader([([0, 0], [BOX, BOX])], batch_size=None)
        [logged] = trainer.validate(model, loader, verbose=False)
    assert logged["val/AP"] == pytest.approx(AP)


def halves(label):
    """A batch of one image of 100 by 200, with one object, as DETR and its processor give them."""
    logits = np.full((1, 2, 3), -20.0, np.float32)
    logits[0, 0, label], logits[0, 1, 2] = 20, 20
    boxes = np.array([[[0.5, 0.5, 0.5, 0.92], [0.1, 0.1, 0.1, 0.1]]], np.float32)
    truth = {"size": np.array([200, 100]), "boxes": np.array([[0.5, 0.5, 0.5, 1.0]]), "class_labels": np.array([1])}
    return (logits, boxes), [truth]


def test_hugging_face_trainer(tmp_path):
    compute = recipe("Hugging Face Trainer").compute_metrics
    batches = [halves(1), halves(1)]
    numbers = compute(SimpleNamespace(predictions=[b[0] for b in batches], label_ids=[b[1] for b in batches]))
    assert (numbers["AP_50"], numbers["AP"]) == (pytest.approx(1.0), pytest.approx(AP))
    assert "AP_small" not in numbers  # undefined: 50 by 200 pixels are a large object
    if not (find_spec("transformers") and find_spec("torch")):
        return
    import torch
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, pixel_values, labels=None):
            (logits, boxes), _ = halves(1)
            return {"loss": self.weight.sum(), "logits": torch.tensor(logits), "pred_boxes": torch.tensor(boxes)}

    def collate(items):
        tensors = {name: torch.tensor(value) for name, value in items[0]["labels"].items()}
        return {"pixel_values": torch.zeros(1, 1), "labels": [tensors]}

    arguments = TrainingArguments(
        str(tmp_path),
        eval_do_concat_batches=False,
        per_device_eval_batch_size=1,
        use_cpu=True,
        report_to=[],
        remove_unused_columns=False,
        label_names=["labels"],
    )
    data = [{"labels": halves(1)[1][0]}] * 2
    trainer = Trainer(Model(), arguments, data_collator=collate, eval_dataset=data, compute_metrics=compute)
    assert trainer.evaluate()["eval_AP"] == pytest.approx(AP)


def test_trl():
    reward = recipe("TRL").reward
    said = '[{"bbox_2d": [0, 0, 100, 70], "desc": "cone"}]'
    truth = [{"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}]
    given = {"prompts": ["?"], "completions": [[{"role": "assistant", "content": said}]], "boxes": [truth]}
    assert reward(**given, completion_ids=[[1]], trainer_state=None) == [0.5]  # right at five of ten thresholds
    assert reward.__name__ == "boxes"


class Logged:
    """A run that keeps what is logged."""

    def __init__(self):
        self.numbers, self.folders = {}, []

    def log(self, numbers, step):
        self.numbers |= numbers

    def add_scalar(self, name, value, step):
        self.numbers[name] = value


def test_weights_and_biases(stand_in, tmp_path):
    plain = stand_in("wandb", Table=lambda columns, data: (columns, data))
    log_result = recipe("Weights & Biases").log_result
    if plain:
        run = Logged()
        log_result(run, report(), 3)
        assert run.numbers["val/AP"] == pytest.approx(AP)
        assert run.numbers["val/classes"][0][:3] == ["category_id", "name", "gt"]
        return
    import wandb

    with wandb.init(mode="offline", dir=str(tmp_path), project="calipers", settings={"silent": True}) as run:
        log_result(run, report(), 3)
        run.log({"end": 1}, step=4)  # by which the step before is complete
        assert run.summary["val/AP"] == pytest.approx(AP)


def test_mlflow(stand_in, tmp_path, monkeypatch):
    run = Logged()
    plain = stand_in(
        "mlflow", log_metrics=lambda numbers, step: run.log(numbers, step), log_artifacts=run.folders.append
    )
    log_result, folder = recipe("MLflow").log_result, tmp_path / "out"
    folder.mkdir()
    report().save(folder / "result.json")
    if plain:
        log_result(report(), folder, 3)
        assert (run.numbers["val/AP"], run.folders) == (pytest.approx(AP), [folder])
        return
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as started:
        log_result(report(), str(folder), 3)
    kept = mlflow.get_run(started.info.run_id).data.metrics
    assert kept["val/AP"] == pytest.approx(AP)


def test_tensorboard(tmp_path):
    log_result = recipe("TensorBoard").log_result
    if not (find_spec("tensorboard") and find_spec("torch")):
        run = Logged()
        log_result(run, report(), 3)
        assert run.numbers["val/AP"] == pytest.approx(AP)
        return
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        log_result(writer, report(), 3)
    events = EventAccumulator(str(tmp_path)).Reload()
    assert [event.value for event in events.Scalars("val/AP")] == [pytest.approx(AP)]


def test_inspect(stand_in, tmp_path):
    plain = stand_in("inspect_ai", Task=SimpleNamespace)
    if plain:
        stand_in("inspect_ai.dataset", Sample=SimpleNamespace)
        stand_in("inspect_ai.solver", generate=lambda: None)
        stand_in(
            "inspect_ai.scorer",
            Score=SimpleNamespace,
            mean=lambda: None,
            stderr=lambda: None,
            scorer=lambda metrics, name: lambda function: function,
        )
        task = recipe("Inspect").task
        state = SimpleNamespace(output=SimpleNamespace(completion="[[10, 10, 50, 90]]"))
        score = asyncio.run(task.scorer(state, SimpleNamespace(text=task.dataset[0].target)))
        assert score.value == 1.0
        return
    import inspect_ai
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def recorded():  # no model is asked, as its library would count tokens with a file from the network
        async def solve(state, generate):
            state.output = ModelOutput.from_content("recorded", "[[10, 10, 50, 90]]")
            return state

        return solve

    task = recipe("Inspect").task
    [log] = inspect_ai.eval(task, solver=recorded(), model="none", display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["mean"].value == 1.0


def test_label_studio(tmp_path):
    folder = ROOT / "examples" / "coco"
    tasks = recipe("Label Studio").label_studio_tasks(folder / "out", folder / "instances.json")
    [task] = tasks
    assert task["data"] == {"image": "/data/local-files/?d=2-wrong.jpg", "reason": "wrong_label"}
    [prediction] = task["predictions"]
    assert prediction["result"][0]["value"]["rectanglelabels"] == ["worker"]
    truth = json.loads((folder / "instances.json").read_text())
    box = next(item["bbox"] for item in truth["annotations"] if item["image_id"] == 2)
    assert prediction["result"][0]["value"]["width"] == pytest.approx(100 * box[2] / 640)
    written = tmp_path / "tasks.json"
    annotated = [{**task, "annotations": [{"id": 1, "result": prediction["result"]}]}]  # as they come back, accepted
    written.write_text(json.dumps(annotated))
    found = calipers.coco(written, written, bootstrap=0)
    assert found["objects"]["gt"] == 1
