"""The house rules: imports point one way, suites are apart, names say something, and importing costs nothing."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import calipers
from calipers.suite import built_in, suite_of

from .walk import walk

PACKAGE = Path(calipers.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
COMPILED = [path for suffix in ("pyx", "pxi", "pxd") for path in sorted(PACKAGE.rglob(f"*.{suffix}"))]
REPOSITORY = Path(__file__).parents[1]

# From the ground up: a file imports from floors below its own and from its own
FLOORS = [
    {"kernels"},
    {"core"},
    {"rulers", "files", "engines"},
    {"suite", "run", "report", "artifact", "meter", "counting_plan", "slicing", "schemas"},
    {"show"},
    {"suites", "detectors"},
    {"results", "judge"},
    {"cli", "testing", "pytest_plugin"},
    {"__init__", "__main__"},
]
UPWARD = {
    ("report", "show"),  # a report shows itself, by what is loaded when it is asked for
}
ONE_PER_SUITE = {"Config"}  # what a suite's declaration names alike everywhere: its options
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
RIDDLE = re.compile(
    r"^(The same\b|Everything\b|That of\b|Those of\b|It (is|has)\b|Its\b|As it is\b|(All|Some|One) of (them|it)\b)"
    r"|^What (nothing|no \w+) gives?\b|made by\.$|there is to say|(has|have) to be said|\ba row a\b"
)
VAGUE = {"found", "given", "each", "said"}  # they could hold anything
MESSAGES = {
    "core/arithmetic.py",
    "core/config.py",
    "core/errors.py",
    "core/limits.py",
    "engines/outcomes.py",
    "files/problems.py",
}
EACH_GROUP = {"core/sweep_figures.py", "suites/timeline/figures.py"}  # hand on the field `each` of a figure
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "misc", "tools"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a file, which most rules look at."""
    return list(ast.walk(parsed(path)))


def identity(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def part_of(path: Path) -> str:
    """The part of the house a file belongs to: its folder or, at the top, itself."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def floor(part: str) -> int:
    return next(number for number, parts in enumerate(FLOORS) if part in parts)


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


@cache
def imported_modules(tree: ast.Module) -> set[str]:
    """Modules of this package that a file imports anywhere, types apart."""
    modules: set[str] = set()
    rest: list[ast.AST] = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
        rest += node.orelse if is_for_types_only(node) else list(ast.iter_child_nodes(node))
    return {name for name in modules if name.split(".")[0] == "calipers"}


def part_named(module: str) -> str:
    part = module.split(".")[1] if "." in module else "__init__"
    return part if any(part in parts for parts in FLOORS) else "__init__"


def test_every_part_of_the_house_has_a_floor():
    assert {part_of(path) for path in SOURCES} - {"data"} <= set().union(*FLOORS)


def test_imports_point_down():
    upward = {
        f"{identity(path)} imports {module}"
        for path in SOURCES
        for module in imported_modules(parsed(path))
        if floor(part_named(module)) > floor(part_of(path))
        and module != "calipers.__version__"
        and (part_of(path), part_named(module)) not in UPWARD
    }
    assert upward == set()


def test_suites_never_import_each_other():
    strangers = {
        f"{identity(path)} imports {module}"
        for path in SOURCES
        if part_of(path) == "suites" and len(path.relative_to(PACKAGE).parts) > 2
        for module in imported_modules(parsed(path))
        if module.startswith("calipers.suites.")
        and module.split(".")[2] in built_in()
        and module.split(".")[2] != path.relative_to(PACKAGE).parts[1]
    }
    assert strangers == set()


def test_nothing_outside_of_the_suites_names_one():
    """But for the public names; a name in a docstring is an example."""
    known = {
        f"{identity(path)}:{node.lineno} says {node.value!r}"
        for path in SOURCES
        if part_of(path) not in ("suites", "__init__")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in built_in()
    } | {
        f"{identity(path)} imports {module}"
        for path in SOURCES
        if part_of(path) not in ("suites", "__init__", "detectors")
        for module in imported_modules(parsed(path))
        if module.startswith(tuple(f"calipers.suites.{name}" for name in built_in()))
    }
    assert known == set()


def test_a_protocol_is_spelled_once_in_the_config_of_its_suite():
    spelled = {
        f"{identity(path)}:{node.lineno} says {node.value!r}"
        for path in SOURCES
        if path.name not in ("config.py", "artifact_types.py") or part_of(path) != "suites"  # the latter is made
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(rf"({'|'.join(built_in())})/\d+", node.value)
    }
    assert spelled == set()


def test_schemas_are_of_the_protocol_of_their_suite():
    for name in built_in():
        schema = (PACKAGE / "suites" / name / "schema.json").read_text(encoding="utf-8")
        assert set(re.findall(rf'"const": "({name}/\d+)"', schema)) == {suite_of(name).protocol}


def test_the_judge_stands_on_kernels_rulers_and_the_core_alone():
    parts = {
        part_named(module) for path in SOURCES if part_of(path) == "judge" for module in imported_modules(parsed(path))
    }
    assert parts <= {"judge", "kernels", "core", "rulers", "files", "__init__"}


def test_kernels_import_neither_numpy_nor_anything_above_them():
    upward = set()
    for path in COMPILED:
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        starts = [words for words in lines if words[:1] in (["from"], ["import"], ["cimport"])]
        upward |= {f"{identity(path)}: {words[1]}" for words in starts if words[1].startswith(("numpy", "calipers"))}
    assert upward == set()


def test_rooms_of_kernels_stand_on_scan_alone():
    rooms: dict[str, set[str]] = {}
    for path in COMPILED:
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        others = {words[1].split(".")[2] for words in lines if words[:1] == ["from"] and words[1].startswith("..")}
        rooms.setdefault(path.parent.name, set()).update(others)
    assert rooms == {"scan": set(), "shape": {"scan"}, "count": {"scan"}}


def test_a_run_of_one_suite_imports_nothing_of_another():
    path = walk("timeline")
    assert "suites/timeline/measure.py" in path.files_passed
    assert path.foreign_modules == []


# Files and names


GENERATED = ("artifact_types.py", "option_types.py")  # as long as the schema and the options they are made from


def test_no_file_has_more_than_400_lines():
    sizes = {identity(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES + COMPILED}
    assert {name: size for name, size in sizes.items() if size > 400 and not name.endswith(GENERATED)} == {}


def test_every_module_says_what_it_is_for():
    silent = [identity(path) for path in SOURCES if not ast.get_docstring(parsed(path))]
    assert silent in ([], ["__main__.py"])


def test_no_module_has_a_name_that_says_nothing():
    assert not {path.stem for path in SOURCES + COMPILED} & NAMELESS
    assert not {path.name for path in PACKAGE.rglob("*") if path.is_dir()} & NAMELESS


def vague_names(path: Path) -> set[str]:
    """Variables and parameters of functions with names that say nothing; fields of classes are not among them."""
    fields = {id(part.target) for part in nodes(path) if isinstance(part, ast.AnnAssign)}
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            names.add(node.id)
    return names & VAGUE


def test_variables_say_what_they_hold():
    """`found` is left to what a message was about, `each` to the groups of a figure."""
    allowed = {(path, "found") for path in MESSAGES} | {(path, "each") for path in EACH_GROUP}
    vague = {(identity(path), name) for path in SOURCES for name in vague_names(path)}
    assert sorted(vague - allowed) == []


def test_docstrings_stand_alone():
    """A docstring is read in a tooltip or a search result, where nothing stands before it."""
    riddles = {
        f"{identity(path)}: {docstring.splitlines()[0]}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)) and RIDDLE.search(docstring)
    }
    assert riddles == set()


def test_a_class_name_occurs_once():
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and node.name not in ONE_PER_SUITE:
                homes.setdefault(node.name, []).append(identity(path))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_a_class_name_that_every_suite_has_occurs_once_in_each():
    for name in ONE_PER_SUITE:
        homes = [path for path in SOURCES if f"class {name}(" in path.read_text(encoding="utf-8")]
        assert len(homes) == len({path.parent for path in homes}), name
        assert {part_of(path) for path in homes} == {"suites"}, name


def test_no_part_is_named_like_a_module_of_the_standard_library():
    parts = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    parts |= {path.stem for path in COMPILED} | {path.parent.name for path in COMPILED}
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


def test_every_part_of_a_kernel_is_included_once():
    kernels = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "kernels").rglob("*.pyx"))
    included = re.findall(r'^include "(.*)"$', kernels, re.MULTILINE)
    assert sorted(included) == sorted(path.name for path in (PACKAGE / "kernels").rglob("*.pxi"))


def test_every_kernel_has_its_types():
    sources = {path.with_suffix(".pyi") for path in (PACKAGE / "kernels").rglob("*.pyx")}
    assert sources == set((PACKAGE / "kernels").rglob("*.pyi"))
