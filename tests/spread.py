"""How several processes share the tests: those of a file stay in one, those that share a cluster or a browser as well,
no core is idle, and a file is loaded by the process that runs it only.

There is a process more than cores, as some wait for others, and each is given a long file and a short one in turn:
what waits behind a long one is short. pytest-xdist has every process collect all tests, to tell them by their number;
here a process has a `Part` for every file, which collects the tests when it is run. That is so where nobody asks
for some of the tests by name or mark, nor for how many percent were run, which nobody knows: `make test` does neither.
"""

import gc

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol
from xdist.scheduler import LoadScopeScheduling

SHARED = {"browser", "engines"}  # folders whose tests share something that is slow to start
LONG = (  # to run, of all files and folders: longest first
    "engines",
    "browser",
    "tests/cli/test_faults.py",
    "tests/contracts/test_plots.py",
    "tests/contracts/test_determinism.py",
    "tests/cli/test_resume.py",
    "tests/suites/timeline/test_strips.py",
    "tests/cli/test_limits.py",
    "tests/contracts/test_matrix.py",
    "tests/fuzz/test_corpus.py",
    "tests/test_docs.py",
    "tests/cli/test_interrupts.py",
    "tests/suites/scene/test_plots.py",
    "tests/test_plugin.py",
    "tests/parity/test_region.py",
    "tests/cli/test_stopping.py",
    "tests/cli/test_bad_input.py",
    "tests/cli/test_every_suite.py",
    "tests/results/test_power.py",
    "tests/suites/coco/test_plots.py",
    "tests/contracts/test_everywhere.py",
    "tests/cli/test_coco_bad_input.py",
    "tests/suites/dense/test_laws.py",
    "tests/contracts/test_meters.py",
    "tests/test_house.py",
    "tests/cli/test_output.py",
    "tests/files/test_remote.py",
    "tests/results/test_conversions.py",
    "tests/results/test_action.py",
    "tests/cli/test_detect.py",
    "tests/suites/coco/test_plan.py",
    "tests/parity/test_coco.py",
    "tests/detectors/test_onnx.py",
    "tests/results/test_check_dense.py",
    "tests/suites/coco/test_ranges.py",
    "tests/parity/test_tube.py",
    "tests/cli/test_timeline_output.py",
    "tests/contracts/test_coco_laws.py",
    "tests/suites/timeline/test_plots.py",
    "tests/parity/test_timeline.py",
    "tests/judge/test_command.py",
    "tests/cli/test_coco_output.py",
    "tests/results/test_suspects.py",
    "tests/schemas/test_validate.py",
    "tests/suites/coco/test_rank_memory.py",
    "tests/cli/test_scene_output.py",
    "tests/show/test_folder.py",
    "tests/test_examples.py",
    "tests/cli/test_random_signals.py",
    "tests/suites/dense/test_plots.py",
    "tests/files/test_model_text.py",
    "tests/contracts/test_timeline_determinism.py",
    "tests/contracts/test_all_suites.py",
    "tests/suites/scene/test_kept.py",
    "tests/detectors/test_detect.py",
    "tests/kernels/count/test_optimal.py",
    "tests/suites/scene/test_plan.py",
    "tests/core/test_lenient_json.py",
    "tests/suites/timeline/test_folder.py",
    "tests/cli/test_scene_command.py",
    "tests/cli/test_timeline_command.py",
    "tests/results/test_check_scene.py",
)
PARTS = "parts"  # the key under which a process is told whether it has parts
SELECTING = ("keyword", "markexpr", "deselect", "lf", "failedfirst", "newfirst", "stepwise", "collectonly", "pyargs")


def scope_of(nodeid: str) -> str:
    """What a test has to stay in one process with: its file, or its folder where that shares something."""
    file = nodeid.partition("::")[0]
    folder = file.rpartition("/")[0].rpartition("/")[2]
    return folder if folder in SHARED else file


def place(item):
    """Where a test or a part stands among all: long files come first."""
    scope = scope_of(item.nodeid)
    late = scope == "engines" and "ray" in item.nodeid  # a Ray takes its share of a core also while it is idle
    return LONG.index(scope) if scope in LONG else len(LONG), late


class Part(pytest.Item):
    """The tests of a file, or of several that share something, which are collected when they are run."""

    def __init__(self, *, collectors, **options):
        super().__init__(**options)
        self.collectors = collectors

    def run(self, following):
        """Run all tests, of which each is reported as if it had been collected with all others."""
        items, number = self.session.items, self.session.items.index(self)
        tests = self.collected() or [self]  # which does nothing, but ends what only tests before it needed
        try:
            for test, next_one in zip(tests, [*tests[1:], following], strict=True):
                items[number] = test  # which pytest-xdist compares reports with
                self.run_one(test, next_one)
                if self.session.shouldfail or self.session.shouldstop:
                    break
        finally:
            items[number] = self

    def run_one(self, test, following):
        """Run a test as pytest would, or this one, without a report."""
        if test is self:
            runtestprotocol(self, log=False, nextitem=following)
        else:
            self.config.hook.pytest_runtest_protocol(item=test, nextitem=following)

    def runtest(self):
        """Nothing beside what `run` does."""

    def collected(self):
        """All tests in the order in which they are run. What is collected is not searched for garbage meanwhile."""
        gc.disable()
        try:
            tests = [test for collector in self.collectors for test in self.session.genitems(collector)]
            self.config.hook.pytest_collection_modifyitems(session=self.session, config=self.config, items=tests)
        finally:
            gc.enable()
        return tests


def is_whole(config) -> bool:
    """Whether all tests of some files are asked for, and no percentages."""
    if any(config.getoption(name, None) for name in SELECTING) or any("::" in argument for argument in config.args):
        return False
    return config.getini("console_output_style") == "classic"


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node):
    """Tell a process whether it has parts."""
    node.workerinput[PARTS] = is_whole(node.config)


def has_parts(config) -> bool:
    """Whether this is a process that has parts."""
    return getattr(config, "workerinput", {}).get(PARTS, False)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Of the files of tests few have doctests: the others are not loaded to look for some."""
    collectors = yield
    if any(isinstance(each, DoctestModule) for each in collectors) and b">>> " not in file_path.read_bytes():
        collectors = [each for each in collectors if not isinstance(each, DoctestModule)]
    if not collectors or not has_parts(parent.config):
        return collectors
    return [
        Part.from_parent(
            parent, name=file_path.name, path=file_path, nodeid=collectors[0].nodeid, collectors=collectors
        )
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Where several processes share the tests, long files come first, and what shares something is one part."""
    if not hasattr(config, "workerinput"):  # which pytest-xdist gives its processes
        return
    items.sort(key=place)
    parts = {}
    for item in items:
        if isinstance(item, Part):
            first = parts.setdefault(scope_of(item.nodeid), item)
            if first is not item:
                first.collectors += item.collectors
    items[:] = [item for item in items if not isinstance(item, Part) or item in parts.values()]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """A part is run test by test."""
    if not isinstance(item, Part):
        return None
    item.run(nextitem)
    return True


class Indexed(list[str]):
    """Names of all tests, of which each is found at once: pytest-xdist looks for every one of them."""

    def __init__(self, names):
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(self)}

    def index(self, name):
        return self._places[name]


class ByFile(LoadScopeScheduling):
    """Keeps the tests of a file in one process, and those of a folder that starts a cluster or a browser."""

    def __init__(self, config, log):
        super().__init__(config, log)
        self._has_long = {}  # by process, whether what it was given last is from the long end

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)

    def add_node_collection(self, node, collection):
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Indexed(collection)

    def _assign_work_unit(self, node):
        self._has_long[node] = not self._has_long.get(node, False)
        if not self._has_long[node]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node):
        """One file waits behind the one that is run, and no more: another process may be idle sooner."""
        if not self.workqueue or self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """By file, long ones first, whatever the number of tests is, which says little of how long they take."""
    config.option.loadscopereorder = False
    return ByFile(config, log)
