"""What the site changes about the pages in docs/, which are written to be read on a code host too.

- A link that leads out of docs/, to a source file or an example, opens that file on a code host. The site has the pages
  alone, so there it becomes its text, with the path of the file where the text does not say it already.
- An empty line that an example prints has to be written <BLANKLINE> for the tests that run it. Readers see an empty
  line.
- A bar in the code of a cell has to be written with a backslash, which code hosts drop and the site would show.
- One script is put into the head of every page, see HEAD.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
PRIORITY = 10  # after links were found (20), before MkDocs looks where they lead (0)

# The theme's search works only on a server, so that there is no box for it on disk.
HEAD = """
<script>document.documentElement.classList.toggle("on-disk", location.protocol === "file:")</script>
</head>"""


class LinksOut(Treeprocessor):
    """The links of one page that begin with ../, as all pages are in docs/ itself."""

    def run(self, root: Element) -> None:
        """Make them text."""
        for link in root.iter("a"):
            if link.get("href", "").startswith("../"):
                _become_text(link, link.attrib["href"].removeprefix("../"))


def _become_text(link: Element, path: str) -> None:
    said = "".join(link.itertext())
    link.tag, link.attrib = "span", {"class": "in-repository", "title": path}
    if not path.endswith(said):
        link.append(_in_brackets(path))


def _in_brackets(path: str) -> Element:
    """A file that the text does not name."""
    brackets = Element("small")
    brackets.text = AtomicString(f" ({path})")
    return brackets


class InRepository(Extension):
    """The same, as Markdown takes it."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  Markdown calls it so
        """Join the processing of a page."""
        md.treeprocessors.register(LinksOut(md), "links_out", PRIORITY)


# What MkDocs calls


def on_config(config: Any) -> None:
    """Before pages are read."""
    config.markdown_extensions.append(InRepository())


def on_page_markdown(markdown: str, **about: Any) -> str:
    """The text of a page."""
    return markdown.replace("\n<BLANKLINE>\n", "\n\n")


def on_page_content(html: str, **about: Any) -> str:
    """The page as HTML, before its frame."""
    return CELL.sub(lambda cell: cell[0].replace("\\|", "|"), html)


def on_post_page(output: str, **about: Any) -> str:
    """A finished page."""
    return output.replace("</head>", HEAD, 1)


def on_post_template(output_content: str, **about: Any) -> str:
    """A finished page that is no document: 404.html."""
    return output_content.replace("</head>", HEAD, 1)
