"""What a suite reads, written in another format.

The suite and the side are told by content, as `check` tells them, or named. Nothing is lost in silence: what the target
cannot hold is an error, what is only about the data is counted in a note. Files appear whole, or not at all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from calipers.core.config import check_names
from calipers.core.errors import ConfigError, InputError, OutputError, keyword, require
from calipers.core.survey import Kind, path_of
from calipers.files.output import check_folder, check_free, check_place, make_folder, remove_empty, write_file
from calipers.suite import ConvertedFiles, Converter, Suite, suite_names, suite_of, suites

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.results.source_types import CheckSource

SIDES = ("gt", "pred")
PLAIN = "plain"  # the format of a suite's own
ANSWERS, PRED_FIELD = "answers", "pred_field"  # options that say that predictions are answers of models


class ConvertOptions(TypedDict, total=False):
    """Options of a conversion, as `calipers convert --help` describes them."""

    gt: CheckSource | None
    gt_format: str | None
    pred_format: str | None
    images: str | os.PathLike[str] | None
    iou_type: str | None
    fps: float | None
    frame: str | None
    answers: str | None
    pred_field: str | None
    label_source: str | None
    max_bad_records: int | None


class ConvertResult(NamedTuple):
    """What was converted: the files by path within the output ("" is the output itself), counts and notes."""

    suite: str
    side: str  # "gt", "pred" or "both"
    kind: str  # what the first input was taken for
    to: str
    files: Mapping[str, bytes]
    counts: Mapping[str, int]
    notes: list[str]


def convert(
    *inputs: CheckSource,
    to: str,
    output: str | os.PathLike[str] | None = None,
    suite: str | None = None,
    side: str | None = None,
    **options: Unpack[ConvertOptions],
) -> ConvertResult:
    """Write ground truth or predictions in another format.

    Args:
        *inputs: Paths, or what files would hold; several are written as one.
        to: The format to write: `"coco"`, `"yolo"` or `"plain"`, as far as the suite writes it.
        output: A file, or a new folder where the format has several files; without one nothing is written.
        suite: The suite to read inputs as, where content does not tell.
        side: `"gt"` or `"pred"`, where content does not tell; predictions where `gt` is given.
        **options: Those of `calipers convert`, see `ConvertOptions`, each where the suite has a use for it.

    Returns:
        What was made of them: `files` as bytes, `counts` and `notes`.

    Raises:
        ConfigError: There is no such format or suite, or an option has no use here.
        InputError: An input cannot be read, or holds what the format cannot.
        OutputError: The output cannot be written.

    Examples:
        >>> result = convert({"a.mp4": {"outside": [[0, 9]]}}, to="plain")
        >>> result.suite, result.side, result.files[""]
        ('timeline', 'gt', b'{"a.mp4":{"outside":[[0,9]]}}\\n')
    """
    require(suite is None or suite in suite_names(), "suite", suite, " or ".join(suite_names()))
    require(side is None or side in SIDES, "side", side, " or ".join(SIDES))
    if not inputs:
        raise ConfigError("nothing to convert, expected files")
    used: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    kind = _answers_kind(inputs, used, to, suite) or _kind(inputs, suite, side)
    own = suite_of(str(kind.suite))
    converter = _converter(own, to)
    check_names(options, {*ConvertOptions.__annotations__, *converter.options})
    for name, value in used.items():
        require(name in converter.options, name, value, _expected(own, converter))
    sources = [*inputs, *([used["gt"]] if "gt" in used else [])]
    place = None if output is None else _checked_place(os.fspath(output), sources)
    read_as = _side(kind, side, "gt" in used)
    converted = converter.convert(list(inputs), to, read_as, **used)
    if place is not None:
        _write(place, converted)
    notes = [*_guessed(kind, side, used), *converted.notes]
    return ConvertResult(own.name, read_as, kind.name, to, converted.files, converted.counts, notes)


def _expected(suite: Suite, converter: Converter) -> str:
    names = ", ".join(converter.options) or "none"
    return f"no such option: those of convert for {suite.name} are {names}"


def _kind(inputs: tuple[Any, ...], suite: str | None, side: str | None) -> Kind:
    """What the first input is; all have to be of one suite."""
    from calipers.results.check_kinds import find_kind

    if suite is not None:
        survey = suite_of(suite).survey
        if survey is None:
            return Kind(suite, suite)
        named: Kind | None = _own_kind(survey, inputs[0])
        return named or survey.kinds[side == "pred"]
    kinds = [find_kind(source) for source in inputs]
    for source, kind in zip(inputs, kinds, strict=True):
        path = path_of(source, "input")
        if kind.suite is None:
            raise InputError(f"{path}: found an {kind.name}, expected ground truth or predictions of a suite")
        if kind.suite != kinds[0].suite:
            raise InputError(
                f"{path}: found {kind.name} ({kind.suite}) beside {kinds[0].name} ({kinds[0].suite}), expected inputs "
                f"of one suite ({keyword('suite', 'NAME')} says which)"
            )
    return kinds[0]


def _answers_kind(inputs: tuple[Any, ...], options: dict[str, Any], to: str, named: str | None) -> Kind | None:
    """Answers of models on the images of a ground truth, whose ids the formats of its suite need; None otherwise."""
    from calipers.results.check_kinds import find_kind

    if "gt" not in options or (to == PLAIN and named is None):
        return None
    try:
        name = named or find_kind(options["gt"]).suite
    except InputError:  # which reading it will say
        return None
    suite = suite_of(name) if name else None
    if suite is None or suite.converter is None or ANSWERS not in suite.converter.options:
        return None
    if not {ANSWERS, PRED_FIELD}.intersection(options):
        if named or all(find_kind(source).suite == name for source in inputs):
            return None
        options[ANSWERS] = "auto"
    return Kind("answers of models", suite.name, "pred")


def _own_kind(survey: Any, source: Any) -> Kind | None:
    from calipers.files.clues import Clue

    try:
        kind: Kind | None = survey.find_kind(Clue(source))
    except InputError:  # which reading it will say
        return None
    return kind


def _converter(suite: Suite, to: str) -> Converter:
    converter = suite.converter
    if converter is None:
        able = [other.name for other in suites() if other.converter]
        raise ConfigError(f"suite: {suite.name} writes no formats, expected one of {', '.join(able)}")
    names = [form.name for form in converter.formats]
    require(to in names, "to", to, f"{' or '.join(names)}, which {suite.name} writes")
    return converter


def _side(kind: Kind, side: str | None, has_gt: bool) -> str:
    if side is not None:
        return side
    if has_gt:
        return "pred"
    return kind.side or "gt"


def _guessed(kind: Kind, side: str | None, options: Mapping[str, Any]) -> list[str]:
    """A note where neither content nor options say which side the input is."""
    if side is not None or kind.side is not None or "gt" in options:
        return []
    return [f"read as ground truth by default: {keyword('side', 'pred')} reads predictions"]


# Writing


def _checked_place(path: str, inputs: list[Any]) -> str:
    require(bool(path), "output", path, "a path")
    for source in inputs:
        if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
            inside = Path(path).resolve().is_relative_to(Path(source).resolve())
            require(not inside, "output", path, f"a place outside of the input {os.fspath(source)!r:.80}")
    check_free(path, inputs)
    check_folder(path, Path(path).absolute().parent)
    return path


def _write(path: str, converted: ConvertedFiles) -> None:
    if list(converted.files) == [""]:
        check_place(path)
        write_file(path, converted.files[""])
        return
    _write_folder(Path(path), converted.files)


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """All files in a folder that is new or empty; it gets its name when all of them are written."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        existing = "a folder with files in it" if folder.is_dir() else "a file"
        raise OutputError(f"{folder}: is {existing}, expected a new or an empty folder: several files are written")
    missing = make_folder(folder.absolute().parent)
    temporary = folder.absolute().parent / f".calipers-{os.urandom(8).hex()}.part"
    try:
        for name, content in files.items():
            place = temporary / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        os.replace(temporary, folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if not folder.exists():
            remove_empty(missing)
