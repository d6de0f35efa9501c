"""The documentation: a site that builds without a warning, in which every link, name and command line exists."""

import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
import yaml

import calipers
from calipers.artifact import protocols
from calipers.cli.main import all_commands
from calipers.cli.main import calipers as program
from calipers.judge import command as judge_command
from calipers.judge import options as judge_options

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *DOCS,
    *sorted((ROOT / "examples").glob("*/README.md")),
]
PYTHON = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
NESTED = ("article", "div")  # elements by which the depth in the main part is known
ATTRIBUTES = {"a": "href", "img": "src", "link": "href", "script": "src", "source": "src", "iframe": "src"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def settings() -> dict:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


# The site


class Page(HTMLParser):
    """What a built page refers to, what can be referred to in it, and its outline in the main part.

    The outline leaves out what comes from docstrings; `words` has the text of that by the id of its heading.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.refers: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.elements: list[str] = []
        self.words: dict[str, str] = {}
        self._depth = 0
        self._made = 0  # depth at which a part begins that is made of a docstring
        self._name = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(str(found["id"]))
        if found.get(ATTRIBUTES.get(tag, "")):
            self.refers.append((tag, str(found[ATTRIBUTES[tag]])))
        if self._depth or tag == "article":
            self._depth += tag in NESTED
            if not self._made and "doc-object" in str(found.get("class")).split():
                self._made = self._depth
            self._name = str(found["id"]) if self._made and found.get("id") else self._name
            if not self._made:
                self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        if self._made:
            self.words[self._name] = self.words.get(self._name, "") + data

    def handle_endtag(self, tag: str) -> None:
        if self._depth and tag in NESTED:
            self._made = 0 if self._depth == self._made else self._made
            self._depth -= 1


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, str]:
    """The site, and what was said while it was built."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # a notice of the theme about itself
    ended = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def site(built) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(built[0].rglob("*.html"))}


def test_the_site_is_built_without_a_warning(built):
    assert "Documentation built" in built[1]
    assert not re.findall(r"WARNING.*|.*[Dd]eprecat.*|INFO .*contains.*", built[1])


def test_every_page_is_in_the_nav_once_and_in_the_site(built):
    listed = [page for entry in settings()["nav"] for page in in_nav(entry)]
    assert sorted(listed) == [path.name for path in DOCS]
    assert {f"{Path(page).stem}.html" for page in listed} <= {path.name for path in built[0].iterdir()}


def in_nav(entry: dict | str) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    return [
        page
        for value in entry.values()
        for part in ([value] if isinstance(value, str) else value)
        for page in in_nav(part)
    ]


def test_every_link_and_anchor_in_the_site_leads_somewhere(site, built):
    broken = [
        (page.path.name, target) for page in site.values() for _, target in page.refers if not leads(page, target, site)
    ]
    assert broken == []


def leads(page: Page, target: str, site: dict[Path, Page]) -> bool:
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        return True
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if page.path.name == "404.html":  # is shown in place of any page, so its links begin at the root
        path = page.path.parent / unquote(parts.path).lstrip("/")
    if not path.exists():
        return False
    return not parts.fragment or path not in site or unquote(parts.fragment) in site[path].ids


def test_no_page_asks_for_anything_from_outside(site, built):
    asked = [target for page in site.values() for tag, target in page.refers if tag != "a" and "//" in target]
    styles = "".join(path.read_text(encoding="utf-8") for path in built[0].rglob("*.css"))
    assert asked == []
    assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)]*", styles)


def test_no_page_links_out_of_the_site(site):
    """Source files and examples are there on a code host, not here: such links are text."""
    assert not [target for page in site.values() for _, target in page.refers if target.startswith("../")]
    assert 'class="in-repository"' in next(p for p in site if p.name == "adding-a-ruler.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_lists_tables_and_code_are_read_as_a_code_host_reads_them(path, site):
    """Markdown has dialects: a list without an empty line before it, say, is none in some of them."""
    elements = next(page for page in site.values() if page.path.stem == path.stem).elements
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"^```[\s\S]*?^```$", "", text, flags=re.MULTILINE)
    assert elements.count("table") == len(re.findall(r"^ {0,3}\| ?:?---", prose, flags=re.MULTILINE))
    assert elements.count("li") == len(re.findall(r"^ {0,3}(?:[-*]|\d+\.) ", prose, flags=re.MULTILINE))
    assert elements.count("pre") >= len(re.findall(r"^```\w*$", text, flags=re.MULTILINE)) // 2


# Links on a code host


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_anchors_in_other_pages_are_headings_there(path, site):
    anchors = re.findall(r"\]\(([^):]*\.md)#([^)]+)\)", path.read_text(encoding="utf-8"))
    pages = {page.path.stem: page for page in site.values()}
    assert [(page, anchor) for page, anchor in anchors if anchor not in pages[Path(page).stem].ids] == []


# Versions


def test_the_page_of_support_and_the_citation_have_the_versions_of_now():
    support = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    assert [protocol for protocol in protocols() if f"`{protocol}`" not in support] == []
    assert f"| the package | {calipers.__version__} |" in support
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (calipers.__version__, "MIT")


def test_hooks_before_a_commit_run_programs_of_the_project():
    settings_of_hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for source in settings_of_hooks["repos"] for hook in source["hooks"]]
    assert {source["repo"] for source in settings_of_hooks["repos"]} == {"local"}
    assert all(hook["entry"].startswith(".venv/bin/") and hook["language"] == "system" for hook in hooks)


# Command lines


def shown_commands(text: str) -> Iterator[str]:
    """Every `calipers …` in a block of shell or console, or in a line of text."""
    for kind, block in re.findall(r"^```(sh|console)\n([\s\S]*?)^```", text, flags=re.MULTILINE):
        lines = block.replace("\\\n", " ").splitlines()
        prompts = [line.removeprefix("$ ") for line in lines if kind == "sh" or line.startswith("$ ")]
        yield from (line.strip() for line in prompts if line.strip().startswith("calipers "))
    yield from re.findall(r"`(calipers [^`]+)`", re.sub(r"^```[\s\S]*?^```", "", text, flags=re.MULTILINE))


def words_of(line: str) -> list[str]:
    """The arguments of the command, up to where the shell takes over."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>;&")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words = list(lexer)
    return words[1 : next((at for at, word in enumerate(words) if word[0] in "|<>;&"), len(words))]


def load(name: str) -> click.Command:
    command = program.get_command(click.Context(program), name)
    assert command is not None, name
    return command


def parse(words: list[str]) -> None:
    """As click reads them, without running anything."""
    if words[0] == "judge":
        judge_command._read_arguments([word if word != "RULER" else "boxes" for word in words[1:]])
        return
    command = program if words[0].startswith("-") else load(words[0])
    context = click.Context(command, info_name=words[0])
    given, _, _ = command.make_parser(context).parse_args(words if command is program else words[1:])
    for parameter in command.params:
        value = given.get(parameter.name)
        if isinstance(value, (str, list, tuple)) and not str(value).isupper():  # N and FILE stand for something
            parameter.type_cast_value(context, value)


ELSEWHERE = "counts"  # the suite of examples/plugin, which its own test runs
LINES = sorted(
    {
        (name_of(path), line)
        for path in PAGES
        for line in shown_commands(path.read_text(encoding="utf-8"))
        if ELSEWHERE not in words_of(line)
    }
)


@pytest.mark.parametrize(("page", "line"), LINES, ids=[f"{page}: {line[:60]}" for page, line in LINES])
def test_a_command_that_is_shown_has_flags_that_exist(page, line):
    words = words_of(line)
    assert words[0] in all_commands() or words[0].startswith("-")
    parse(words)


def test_the_check_of_command_lines_sees_what_is_wrong():
    parse(words_of("calipers coco --gt a.json --pred 'b c.json' -o out/ | less  # all of it"))
    for line in ("calipers dense --primary 0.5x", "calipers demo sense", "calipers report out/ --cases many"):
        with pytest.raises(click.UsageError):
            parse(words_of(line))


def test_the_docs_show_every_command():
    assert {words_of(line)[0] for _, line in LINES} >= set(all_commands())


def flags_of(name: str) -> set[str]:
    options = [option for option in load(name).params if isinstance(option, click.Option)]
    return {flag for option in options for flag in (*option.opts, *option.secondary_opts)}


def test_every_flag_that_is_named_is_one():
    known = {flag for name in all_commands() for flag in flags_of(name)} | {
        "--help",
        "-h",
        "--version",
        "--serve",
        "--no-",
        "-",
    }
    known |= {f"--{name.replace('_', '-')}" for name in judge_options.NAMES}
    named = {
        (name_of(path), flag)
        for path in PAGES
        for flag in re.findall(r"(?<!`)`(--?[a-z][\w-]*|--no-)[^`]*`", path.read_text(encoding="utf-8"))
    }
    assert sorted(each for each in named if each[1] not in known) == []


# Python

DIRECTIVES = re.findall(r"^::: (\S+)$", PYTHON, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def manual(site) -> dict[str, str]:
    """What the manual of Python says from docstrings, by name."""
    return next(page for page in site.values() if page.path.name == "python.html").words


def test_the_manual_of_python_has_every_public_name_once():
    assert len(DIRECTIVES) == len(set(DIRECTIVES))
    public = {f"calipers.{name}" for name in calipers.__all__ if name != "__version__"}
    assert public <= set(DIRECTIVES)
    assert "calipers.__version__" in PYTHON


@pytest.mark.parametrize("name", [name for name in DIRECTIVES if name != "calipers.judge"])
def test_the_manual_of_python_shows_the_docstring_and_every_parameter(name, manual):
    value = resolve(name)
    text = re.sub(r"\s+", " ", manual[name])
    assert inspect.getdoc(value).partition("\n")[0].replace("`", "") in text
    if inspect.isfunction(value):
        assert all(
            f" {parameter} " in f"{text} ".replace("*", " ") for parameter in inspect.signature(value).parameters
        )


def resolve(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(sys.modules.get(module) or importlib.import_module(module), attribute)


def test_the_manual_of_python_has_every_method_of_what_functions_return(manual):
    for name in DIRECTIVES:
        value = resolve(name)
        is_shown = inspect.isclass(value) and not name.endswith(("Options", "Artifact", "Error"))
        methods = [each for each in vars(value) if callable(vars(value)[each]) and each[0] != "_"] if is_shown else []
        assert [each for each in methods if f"{name}.{each}" not in manual] == []


def test_the_manual_of_python_has_every_ruler_of_the_judge(manual):
    assert [name for name in calipers.judge.__all__ if f"calipers.judge.{name}" not in manual] == []


@pytest.mark.parametrize("name", [name for name in calipers.__all__ if name.endswith("Options")])
def test_the_manual_of_python_has_every_option(name, manual):
    assert [
        option for option in getattr(calipers, name).__annotations__ if option not in manual[f"calipers.{name}"]
    ] == []
