"""The types of the kernels (`*.pyi`) say what the compiled modules have, both ways: names, parameters, defaults."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import calipers

SOURCES = Path(__file__).parents[2] / "src" / "calipers" / "kernels"
MODULES = {path.stem: path.parent.name for path in sorted(SOURCES.glob("*/*.pyx"))}  # and the room of each
OF_TYPES_ONLY = {"column.Column.__array__", "column.Column.__buffer__"}  # numpy and memoryview take the C buffer
DUNDERS = {"__len__", "__iter__", "__getitem__"}  # of those that Python has everywhere, what a stub has to say


def stub_of(module: str) -> ast.Module:
    return ast.parse((SOURCES / MODULES[module] / f"{module}.pyi").read_text(encoding="utf-8"))


def parameters_of(node: ast.FunctionDef) -> list[str]:
    """Names of parameters with a mark of their kind, and the default where it is written out."""
    signature = inspect.Signature(list(_parameters(node.args)))
    return spelled(signature, drop_self=False)


def _parameters(given: ast.arguments) -> Iterator[inspect.Parameter]:
    plain = given.posonlyargs + given.args
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for argument, default in zip(plain, defaults, strict=True):
        yield _parameter(argument.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, default)
    if given.vararg:
        yield _parameter(given.vararg.arg, inspect.Parameter.VAR_POSITIONAL, None)
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(argument.arg, inspect.Parameter.KEYWORD_ONLY, default)


def _parameter(name: str, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    empty = inspect.Parameter.empty
    return inspect.Parameter(name, kind, default=empty if default is None else ast.literal_eval(default))


def spelled(signature: inspect.Signature, *, drop_self: bool) -> list[str]:
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.KEYWORD_ONLY: "keyword "}
    found = []
    for parameter in signature.parameters.values():
        default = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
        found.append(f"{marks.get(parameter.kind, '')}{parameter.name}{default}")
    return found[1:] if drop_self else found


def declared(module: str) -> dict[str, list[str] | None]:
    """What a stub declares: parameters of functions, None for anything else."""
    names: dict[str, list[str] | None] = {}
    for node in stub_of(module).body:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = parameters_of(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = None
        elif isinstance(node, ast.ClassDef):
            names[node.name] = None
            names |= {f"{node.name}.{name}": value for name, value in _declared_in(node)}
    return {name: value for name, value in names.items() if f"{module}.{name}" not in OF_TYPES_ONLY}


def _declared_in(node: ast.ClassDef) -> Iterator[tuple[str, list[str] | None]]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            yield member.name, parameters_of(member)[1:]
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            yield member.target.id, None


def compiled(module: ModuleType) -> dict[str, list[str] | None]:
    """What a module has, in the same words; names that begin with an underscore are nobody's business."""
    names: dict[str, list[str] | None] = {}
    short = module.__name__.rpartition(".")[2]
    for name, value in vars(module).items():
        if name.startswith("_") or isinstance(value, ModuleType):
            continue
        if inspect.isclass(value):
            names[name] = None
            names |= {f"{name}.{member}": found for member, found in _compiled_in(value, short)}
        else:
            names[name] = spelled(inspect.signature(value), drop_self=False) if callable(value) else None
    return names


def _compiled_in(kind: type, module: str) -> Iterator[tuple[str, list[str] | None]]:
    for name, value in vars(kind).items():
        if name in DUNDERS:
            yield name, [] if name != "__getitem__" else ["index"]
        elif not name.startswith("_"):
            yield name, spelled(inspect.signature(value), drop_self=True) if callable(value) else None
    if "__init__" in vars(kind) and issubclass(kind, Exception):
        yield "__init__", spelled(inspect.signature(vars(kind)["__init__"]), drop_self=True)
        yield from ((name, None) for name in vars(kind("", 0)))
    else:
        yield "__init__", constructor_of(kind.__name__, module)


def source_of(module: str) -> str:
    """The text that a module is compiled from, with what it includes in its place."""
    folder = SOURCES / MODULES[module]
    text = (folder / f"{module}.pyx").read_text(encoding="utf-8")
    return re.sub(
        r'^include "(.*)"$', lambda line: (folder / line[1]).read_text(encoding="utf-8"), text, flags=re.MULTILINE
    )


def constructor_of(kind: str, module: str) -> list[str]:
    """Parameters of a compiled class, which only its source tells: names and defaults of `__cinit__`."""
    source = source_of(module)
    body = source[source.index(f"cdef class {kind}:") :]
    found = re.search(r"\n    def __cinit__\(self(?:, (.*?))?\):\n", body, re.DOTALL)
    if not found or "\ncdef class " in body[1 : found.start()]:
        return []
    keyword, names = "", []
    for part in re.sub(r"\[.*?\]", "", found[1] or "").split(","):  # without the commas of types
        words = part.replace(" not None", "").split()
        keyword = "keyword " if words == ["*"] else keyword
        names += [] if words in (["*"], []) else [keyword + default_as_python(words[-1])]
    return names


def default_as_python(parameter: str) -> str:
    name, equals, default = parameter.partition("=")
    return f"{name}={ast.literal_eval(default)!r}" if equals else name


@pytest.mark.parametrize("name", MODULES)
def test_a_stub_says_what_the_module_has(name):
    ours, theirs = declared(name), compiled(import_module(f"calipers.kernels.{MODULES[name]}.{name}"))
    assert sorted(ours) == sorted(theirs)
    assert {key: ours[key] for key in ours if ours[key] is not None} == {
        key: value for key, value in theirs.items() if value is not None
    }


def test_the_check_sees_what_differs():
    """A parameter less, another default, another name."""
    module = import_module("calipers.kernels.count.assign")
    found = compiled(module)
    assert found["greedy"] == [
        "pairs",
        "truth_count",
        "pred_count",
        "min_overlap",
        "truth_labels=None",
        "pred_labels=None",
    ]
    assert found["sort_by_overlap"] == ["offsets", "*parts", "keyword register_bits=512"]
    assert constructor_of("Column", "column") == ["format", "size=0"]
    assert constructor_of("RecordLines", "jsonlines")[2:] == [
        f"keyword {name}" for name in ("truth_names", "pred_names", "key_names", "unless", "fields=()")
    ]


def test_the_modules_are_compiled_from_these_sources():
    compiled_to = sorted((Path(calipers.__file__).parent / "kernels").rglob("*.so"))
    assert {path.stem.partition(".")[0]: path.parent.name for path in compiled_to} == MODULES


def test_a_module_has_its_name_alone():
    assert len(MODULES) == len(list(SOURCES.rglob("*.pyx")))
