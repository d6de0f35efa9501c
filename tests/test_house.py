"""The house rules: imports point one way, files stay small, names say something, and importing costs nothing."""

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import calipers

PACKAGE = Path(calipers.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
COMPILED = sorted(PACKAGE.rglob("*.pyx")) + sorted(PACKAGE.rglob("*.pxd"))
REPOSITORY = Path(__file__).parents[1]

# From the ground up: a file imports from floors below its own and from its own
FLOORS = [
    {"errors", "text", "stopping", "fuzzy"},
    {"kernels"},
    {"records", "videos", "scenes", "instances", "tally", "matching", "bootstrap"}
    | {"output", "config", "limits", "parts", "part_files", "schemas", "child_main", "child_process", "forked"},
    {"readers", "labels", "rulers", "metrics"},
    {"suites"},
    {"engines", "report", "plans", "run", "evaluate", "meter", "detectors"},
    {"views", "analysis", "judge"},
    {"cli"},
    {"__init__", "__main__"},
]
STRANGERS = {"readers", "labels", "rulers", "metrics"}  # only a suite puts these together
EXCEPTIONS = {
    ("report", "views"),  # str(report) is the console summary, loaded when it is asked for
    ("suites", "__init__"),  # __version__, which goes into the artifact
    ("engines", "__init__"),  # __version__, which all workers have to run
    ("plans", "__init__"),  # __version__, which goes into the parts
    ("cli", "__init__"),  # __version__, for --version
}
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "misc", "core", "tools"}


def floor(part: str) -> int:
    return next(number for number, parts in enumerate(FLOORS) if part in parts)


def part_of(path: Path) -> str:
    """The part of the house a file belongs to: its folder or, at the top, itself."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imported_parts(path: Path, text: str | None = None) -> set[str]:
    """Parts of the house that a file imports anywhere, types apart."""
    tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    return {part for name in imported_modules(tree, path) if (part := part_named(name))}


def imported_modules(tree: ast.Module, path: Path) -> set[str]:
    found: set[str] = set()
    rest: list[ast.AST] = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{absolute(node, path)}.{alias.name}" for alias in node.names}
        rest += node.orelse if is_for_types_only(node) else list(ast.iter_child_nodes(node))
    return found


def absolute(node: ast.ImportFrom, path: Path) -> str:
    folder = ["calipers", *path.relative_to(PACKAGE).parts[:-1]]
    base = folder[: len(folder) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def part_named(module: str) -> str | None:
    first, _, rest = module.partition(".")
    if first != "calipers":
        return None
    part = rest.partition(".")[0]
    return part if any(part in parts for parts in FLOORS) else "__init__"


def identity(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_part_of_the_house_has_a_floor():
    assert {part_of(path) for path in SOURCES} - {"data"} <= set().union(*FLOORS)


@pytest.mark.parametrize("path", SOURCES, ids=identity)
def test_imports_point_down(path):
    here = part_of(path)
    upward = {there for there in imported_parts(path) if floor(there) > floor(here)}
    assert {(here, there) for there in upward} <= EXCEPTIONS


@pytest.mark.parametrize("path", [path for path in SOURCES if part_of(path) in STRANGERS], ids=identity)
def test_readers_labels_rulers_and_metrics_never_import_each_other(path):
    assert imported_parts(path) & STRANGERS <= {part_of(path)}


def test_no_exception_is_out_of_date():
    found = {(part_of(path), there) for path in SOURCES for there in imported_parts(path)}
    assert found >= EXCEPTIONS


def test_the_check_sees_imports_wherever_they_are():
    text = (
        "from calipers.labels import desc\n"
        "from ..metrics import sweep\n"
        "from .. import run\n"
        "import calipers.files.lines as lines, json\n"
        "if TYPE_CHECKING:\n    from calipers.views import text\n"
        "else:\n    from calipers.suites import rows\n"
        "def f():\n    if f:\n        from calipers import cli\n    class C:\n        import calipers.engines.local\n"
        "from calipers import __version__\n"
    )
    found = imported_parts(PACKAGE / "rulers" / "imaginary.py", text)
    assert found == {"labels", "metrics", "run", "readers", "suites", "cli", "engines", "__init__"}


@pytest.mark.parametrize("path", COMPILED, ids=identity)
def test_kernels_import_neither_numpy_nor_anything_above_them(path):
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    starts = [words for words in lines if words[:1] in (["from"], ["import"], ["cimport"])]
    modules = {words[1] for words in starts}
    assert not {name for name in modules if name.startswith(("numpy", "calipers", ".."))}


# Files and names


@pytest.mark.parametrize("path", SOURCES + COMPILED, ids=identity)
def test_no_file_has_more_than_400_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_every_module_says_what_it_is_for():
    silent = [identity(path) for path in SOURCES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent in ([], ["__main__.py"])


def test_no_module_has_a_name_that_says_nothing():
    assert not {path.stem for path in SOURCES + COMPILED} & NAMELESS
    assert not {path.name for path in PACKAGE.rglob("*") if path.is_dir()} & NAMELESS


def test_no_part_is_named_like_a_module_of_the_standard_library():
    parts = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert not (parts - {"__init__", "__main__", "__pycache__"}) & sys.stdlib_module_names


# The public face


def run_python(program: str) -> str:
    command, env = [sys.executable, "-c", program], {"PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout.strip()


def test_importing_calipers_loads_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'click', 'orjson', 'zstandard', 'rapidfuzz', 'multiprocessing', 'json', 're', 'ast'}"
    program = f"import sys; old = set(sys.modules); import calipers; print(sorted({heavy} & set(sys.modules) - old))"
    assert run_python(program) == "[]"


def test_errors_can_be_named_without_loading_anything_heavy():
    program = "import sys, calipers; calipers.InputError; print(sorted({'numpy', 'click'} & set(sys.modules)))"
    assert run_python(program) == "[]"


@pytest.mark.parametrize("name", calipers.__all__)
def test_every_public_name_is_there_and_says_what_it_does(name):
    value = getattr(calipers, name)
    assert name == "__version__" or value.__doc__


def test_public_names_are_sorted_and_listed_once():
    assert calipers.__all__ == sorted(set(calipers.__all__))
    assert set(calipers.__all__) <= set(dir(calipers))


def test_public_names_are_those_in_the_module_they_come_from():
    for name, home in calipers._HOMES.items():
        module = import_module(f"calipers.{home}")
        assert (module if name == home else getattr(module, name)) is getattr(calipers, name)  # judge is a module
    assert set(calipers._HOMES) | {"__version__"} == set(calipers.__all__)


def test_type_checkers_see_the_same_public_names():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if is_for_types_only(node)]
    declared = {alias.name: node.module for node in block.body for alias in node.names}
    homes = {name: "calipers" if name == home else f"calipers.{home}" for name, home in calipers._HOMES.items()}
    assert declared == homes


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'calipers' has no attribute 'dens'"):
        calipers.dens  # noqa: B018
    assert not hasattr(calipers, "region_io")


def test_a_star_import_brings_the_public_names():
    names: dict = {}
    exec("from calipers import *", names)
    assert set(calipers.__all__) <= set(names)


def test_every_error_is_a_calipers_error_with_an_exit_code():
    errors = [getattr(calipers, name) for name in calipers.__all__ if name.endswith("Error")]
    assert all(issubclass(error, calipers.CalipersError) for error in errors)
    assert {error.__name__: error.exit_code for error in errors} == {
        "CalipersError": 2,
        "ConfigError": 2,
        "InputError": 3,
        "OutputError": 2,
    }


def test_the_package_says_it_is_typed_and_ships_that():
    assert (PACKAGE / "py.typed").exists()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert "py.typed" in project["tool"]["setuptools"]["package-data"]["calipers"]
    assert project["project"]["version"] == calipers.__version__


def test_every_kernel_has_its_types():
    stubs = {path.stem for path in (PACKAGE / "kernels").glob("*.pyi")}
    assert stubs == {path.stem for path in (PACKAGE / "kernels").glob("*.pyx")}
