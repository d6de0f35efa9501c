"""Suite: all that the rest of the house may know of a suite. Read this first.

A suite measures one kind of prediction against ground truth. It is a folder of `calipers.suites`, or a package of its
own with an entry point in the group `calipers.suites`, and it says what it is once, as `SUITE = Suite(…)` in its
`suite.py`. The console, tables, the page, `compare`, `gate`, `check`, `merge`, meters, the command and its help all
read this declaration; none of them knows a suite by name.

`suite_of(name)` loads one suite and nothing of the others. Functions of a declaration are wrapped in `later`, which
imports their module when they are first called, so that declaring a suite costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from calipers.core.errors import ConfigError

if TYPE_CHECKING:
    from calipers.core.changes import ChangedObjects
    from calipers.core.figures import FigureSpec
    from calipers.core.parts import Packed, Part
    from calipers.core.survey import Survey
    from calipers.core.suspects import SuspectSpec
    from calipers.engines import Engine
    from calipers.files.part_files import Provenance
    from calipers.report import Report

Tree = Mapping[str, Any]
Rows = list[dict[str, Any]]
Table = tuple[list[str], Rows]  # columns, then rows that have exactly these keys
P = TypeVar("P", bound="Part")
ENTRY_POINTS = "calipers.suites"
IMPORT_ERRORS = (  # of a package that may hold anything
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


class Plan(Protocol[P]):
    """How a run is cut into shards and put together again.

    A plan is made from inputs and options. Its shards are small and can be sent anywhere; `measure` takes one to a
    part, without looking at anything else; parts add up; `report` takes the total to the report. The same plan runs on
    every engine, and gives the same bytes on each.

    Five attributes may be there as well. `usual_jobs` is the number of processes where nobody asks for another, of a
    plan whose shards cost about as much to send as to measure; without it, these are all cores. `parts_grow` is true
    where adding parts saves no memory: then a cluster does not add them on its workers. `parts_keep_themselves` is true
    where `measure` takes `keep`, a number of `files.placed_texts`: workers then write parts to the file of `--resume`,
    and `stored_entry` of such a part says where. `restore` is there where parts are not kept whole: it takes a shard
    that an earlier run finished, what was kept of its part and the path of the file that has it, and returns the part.
    `worker_paths` are files that `measure` opens, so that a run whose standard input is one stays in one process.
    """

    max_bad: int  # records that may be bad

    @property
    def measure(self) -> Callable[[Any], P]:
        """Takes a shard to its part: pure, and fit to be sent to another process."""

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that parts are measured with."""

    def shards(self, engine: Engine) -> Iterable[Any]:
        """The shards in order, as they are wanted; `str` of one says where it comes from."""

    def identify(self, shard: Any) -> str:
        """A text that is the same in another run only if the shard holds the same."""

    def bytes_done(self, shard: Any) -> tuple[int, int]:
        """How many bytes of how many are done, now that this shard was measured."""

    def empty(self) -> P:
        """An empty part."""

    def unpack(self, packed: Packed) -> P:
        """A part that was packed."""

    def add_inputs(self, total: P) -> None:
        """Name the inputs in the total, which has all parts."""

    def report(self, total: P) -> Report:
        """The report of the total."""


class Later:
    """A function by the names of its module and its own, imported when it is first called."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def load(self) -> Any:
        """The function itself."""
        return getattr(import_module(self.module), self.name)

    def __call__(self, *args: Any, **options: Any) -> Any:  # noqa: D102  documented where the function is
        return self.load()(*args, **options)

    def __repr__(self) -> str:
        return f"later({self.module}:{self.name})"


def later(module: str, name: str) -> Any:
    """A function that is imported when it is first called."""
    return Later(module, name)


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input of a suite: an argument of its command and its function."""

    name: str
    metavar: str
    help: str = ""
    positional: bool = False  # one path or several, without a flag
    several: bool = False  # the flag may be given again
    optional: bool = False  # `job` checks which inputs are needed together


class Job(NamedTuple):
    """What a command runs: inputs and options, checked."""

    config: Any
    paths: list[str]  # every file and folder that is read
    evaluate: Callable[..., Report]  # takes `progress` and, where these are streamed, `on_rows` or `on_head`
    sides: tuple[Any, ...] = ()  # the inputs as the suite itself takes them


class RecordCounts(NamedTuple):
    """How many records a result is about."""

    read: int
    evaluated: int
    rejected: int


@dataclass(frozen=True, kw_only=True)
class TableSpec:
    """A table of a result: the function that makes it, and the file it has in a folder of `-o`.

    A table that can have very many rows may have a function that writes the same as CSV without making them.
    """

    make: Callable[[Tree], Table]
    file: str | None = None
    write_csv: Callable[[Tree], bytes] | None = None
    is_there: Callable[[Tree], bool] = field(default=lambda tree: True)


PLAIN_PLOTS = "calipers.show.charts.figures_plot"


def _plain_plots() -> dict[str, Callable[..., Any]]:
    """The plots of a suite that has none of its own."""
    return {"figures": later(PLAIN_PLOTS, "figures_plot")}


class ReadableFormat(NamedTuple):
    """A format that a suite reads, for `calipers formats`."""

    name: str  # what people call it
    side: str  # "gt", "pred" or "gt and pred"
    layout: str  # how to tell it: files and their main fields, on one line
    option: str = ""  # how it is asked for where it is not detected


class ConvertedFiles(NamedTuple):
    """The files of a conversion, how much is in them, and notes for the user."""

    files: Mapping[str, bytes]  # by path within the output folder; "" is the output itself
    counts: Mapping[str, int]  # what is in them, in words: {"images": 3}
    notes: list[str]  # what was left out because it is only about the data, and how it was read


class WrittenFormat(NamedTuple):
    """A format that a suite writes, for `calipers convert`."""

    name: str  # as `--to` takes it
    layout: str  # files and their main fields, on one line


@dataclass(frozen=True, kw_only=True)
class Converter:
    """How a suite writes what it reads in another format."""

    formats: tuple[WrittenFormat, ...]
    convert: Callable[..., ConvertedFiles]  # inputs, to (a format's name), side ("gt", "pred" or "both"), options
    options: tuple[str, ...] = ()  # those of `calipers convert` that mean something here


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Bundled sample data for `calipers demo`: paths below `folder`, and what to say of them."""

    folder: str  # below the folder of the package that `package` names
    inputs: Mapping[str, Any]  # as the command takes them; {} stands for the folder
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    package: str = "calipers"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)  # these methods take long to make
class Suite:
    """A suite's declaration. Fields that have a default are for what a suite may do without."""

    # What it is
    name: str
    protocol: str  # name and version of the definitions: "dense/1"
    record: str  # what one record is called: "record", "video", "scene", "image"
    purpose: str  # one line, for the list of commands
    about: str  # the help of its command

    # What it takes
    config: type[Any]  # a frozen dataclass of options, below `RunOptions`
    inputs: tuple[Input, ...]
    job: Callable[[dict[str, Any], dict[str, Any]], Job]  # inputs and options by name, as a command has them
    output_options: type[Any] | None = None  # options that change only what `-o` writes
    formats: tuple[ReadableFormat, ...] = ()  # what it reads
    converter: Converter | None = None  # how it writes that in other formats
    config_help: str = ""  # of `--config`, where it may also name a file of the suite's own
    check_places: Callable[[Job, str | None], None] | None = None  # refuses places to write to; the second is `-o`
    takes_detections: bool = False  # whether its inputs gt and pred are a ground truth and what a detector found on it
    sample: Sample | None = None
    meter: Callable[..., Any] | None = None

    # How parts become a report without the plan that made them, as `merge` and meters need it
    unpack: Callable[[Packed], Any]
    report_of: Callable[[Any, Any], Report]  # the total, the config
    provenance_of: Callable[[Any], Provenance]  # of a config
    shared_inputs: bool = False  # whether parts of one result may have read the same ground truth

    # The artifact
    figures: tuple[FigureSpec, ...]
    replicates: Callable[[Tree], Mapping[str, Any]] = field(default=lambda tree: {})  # those that are computed
    main_group: Callable[[list[str]], str] | None = None  # of groups, the one that a figure without one means
    group_word: str = ""  # what groups are called that may have other names in another result: "method"
    flat: Callable[[Tree], Iterator[tuple[str, float | None]]] | None = None  # further numbers for a tracker
    # Its numbers under the names of another library, by that library
    flat_styles: Mapping[str, Callable[[Tree], dict[str, Any]]] = field(default_factory=dict)
    counts: Callable[[Tree], RecordCounts]
    schema: str  # the package whose schema.json describes the artifact
    check_replicates: Callable[[Tree], None] | None = None  # a Mismatch where replicates of a figure are missing
    check_numbers: Callable[[Tree], None] | None = None  # a Mismatch where numbers do not fit each other
    usual_form: Callable[[dict[str, Any]], dict[str, Any]] | None = None  # of an artifact that has more than one form
    slice_headline: Callable[[Tree], str] | None = None  # the figure that slices are judged by, without its group
    # Parts of the artifact that have `slices`, by the group their figures belong to
    slice_parts: Callable[[Tree], list[tuple[str, Tree]]] = field(default=lambda tree: [("", tree)])

    # What is shown
    summary: Callable[[Tree], str]
    tables: Mapping[str, TableSpec]
    plots: Mapping[str, Callable[..., Any]] = field(default_factory=_plain_plots)  # plot(tree, ax=…) -> Figure
    pictures: Callable[[Tree], dict[str, bytes]] = field(default_factory=lambda: later(PLAIN_PLOTS, "pictures"))
    picture_shares: tuple[Callable[[Tree], dict[str, bytes]], ...] = ()  # `pictures` in parts, a process for each
    page: Callable[..., Any] | None = None
    picture_patterns: tuple[str, ...] = ("figures.png", "figures.svg")  # of an earlier run: they are named, and left
    takes_images: bool = False  # whether cases are drawn over images
    doubts: Callable[[Tree, list[str]], Iterator[str]] | None = None  # warnings about a result, beside hints
    folder_files: Callable[..., dict[str, bytes]] | None = None  # further files of a folder: report, output options
    match_columns: Callable[[Mapping[str, Any]], list[str]] | None = None  # of the table of every object, by options
    streams_rows: bool = False  # rows of objects come while records are measured
    streams_head: bool = False  # what the artifact begins with comes while the rest of it is computed
    next_step: str = "-o out/ for the page and tables · calipers compare OLD NEW"

    # How results are compared
    truth_facts: Callable[[Tree], Iterator[tuple[str, Any]]]  # of each record: equal in results that can be compared
    # Parameters that keep no two results from being compared
    ignored_params: frozenset[str] = frozenset({"top", "max_bad_records", "slice", "attributes"})
    file_params: frozenset[str] = frozenset()  # options that name a file: what it holds is compared
    changed: ChangedObjects | None = None  # how objects of two results are told apart
    draw_case: Callable[..., Any] | None = None  # a case as the page draws it: artifact, case
    draw_changed: Callable[..., Any] | None = None  # sections that draw old and new cases in one picture
    suspects: SuspectSpec | None = None  # where results say that the annotation may be wrong

    # What can be told about a result and about inputs
    first_reason: Callable[[Tree], str] | None = None  # why the first record was not evaluated
    is_empty: Callable[[Tree], bool] | None = None  # whether records were read and none had anything to evaluate
    hopeless_predictions: Callable[[Report], Iterator[str]] | None = None  # warnings about those that cannot match
    same_input_hint: str = ": is one of them meant to be another?"  # said of an input that is given twice
    failed_keys: Callable[[Tree], list[str]] | None = None  # keys of the records that were rejected
    headlines: Callable[[Tree], Iterable[float | None]] | None = None  # where all are fair, nothing is explained
    find_survey: Callable[[], Survey] | None = None  # how `check` looks at its inputs

    @property
    def survey(self) -> Any:
        """How `check` looks at its inputs, or None."""
        return self.find_survey() if self.find_survey else None

    def in_usual_form(self, tree: Tree) -> Tree:
        """The artifact in the usual form, where the suite has another one."""
        return self.usual_form(dict(tree)) if self.usual_form else tree


def built_in() -> dict[str, str]:
    """The suites that come with Calipers, by name, with a line about each."""
    names: dict[str, str] = import_module("calipers.suites").BUILT_IN
    return names


@cache
def _plugged_in() -> dict[str, Any]:
    """Entry points of other packages by name; their metadata, slow to read, only where some file may name any."""
    from calipers.files.distributions import may_name

    if not may_name(ENTRY_POINTS):
        return {}
    from importlib.metadata import entry_points

    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINTS)}


def suite_names() -> list[str]:
    """All suites: first those that come with Calipers."""
    return [*built_in(), *(name for name in sorted(_plugged_in()) if name not in built_in())]


def is_suite(name: str) -> bool:
    """Whether there is a suite of this name; other packages are asked only when it does not come with Calipers."""
    return name in built_in() or name in _plugged_in()


@cache
def suite_of(name: str) -> Suite:
    """The suite of this name; one that is not there is an error that names the nearest.

    >>> suite_of("dense").protocol
    'dense/1'
    """
    if name in built_in():
        suite: Suite = import_module(f"calipers.suites.{name}.suite").SUITE
        return suite
    if name in _plugged_in():
        return _load_plugged_in(name)
    from difflib import get_close_matches

    names = suite_names()
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"suite: found {name!r:.80}{hint}, expected one of {', '.join(names)}")


def _load_plugged_in(name: str) -> Suite:
    """The suite of another package; one that cannot be imported or declared is an error that says where it failed."""
    entry_point = _plugged_in()[name]
    try:
        value = entry_point.load()
    except IMPORT_ERRORS as error:
        from traceback import extract_tb

        *_, innermost = extract_tb(error.__traceback__)
        place = f"{innermost.filename}:{innermost.lineno}"
        problem = f"{type(error).__name__}: {error} ({place})"
        raise ConfigError(f"suite: {name!r:.80} ({entry_point.value}) cannot be loaded: {problem}") from error
    return _checked(name, value)


def _checked(name: str, value: Any) -> Suite:
    if not isinstance(value, Suite) or value.name != name:
        actual = f"the Suite {value.name!r:.80}" if isinstance(value, Suite) else f"{value!r:.80}"
        raise ConfigError(f"suite: the entry point {name!r} gives {actual}, expected the Suite of that name")
    return value


def suites() -> list[Suite]:
    """All suites that can be loaded: first those that come with Calipers."""
    broken = unloadable_suites()
    return [suite_of(name) for name in suite_names() if name not in broken]


@cache
def unloadable_suites() -> dict[str, str]:
    """Suites of other packages that cannot be loaded, with the reason; they must not stop work with the others."""
    problems = {}
    for name in suite_names():
        if name not in built_in():
            try:
                suite_of(name)
            except ConfigError as error:
                problems[name] = str(error)
    return problems


def suite_of_tree(tree: Tree) -> Suite:
    """The suite that made an artifact."""
    return suite_of(tree["suite"])
