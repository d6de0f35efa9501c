"""From an integer to a case: a draft of a grammar, then mutations of its trees, its bytes and its files."""

from __future__ import annotations

from random import Random

from fuzz import octets, trees
from fuzz.case import Case
from fuzz.draft import Doc
from fuzz.grammars import GRAMMARS

VALID = 0.08  # of all cases are left as the grammar made them


def build(grammar: str, seed: int, *, valid: bool = False) -> Case:
    """The case of a grammar and an integer; with `valid` as the grammar made it, whatever the integer."""
    rng = Random(f"{grammar} {seed}")
    draft = GRAMMARS[grammar](rng)
    if rng.random() < VALID or valid:
        files = {name: octets.compress(doc.write(doc.tree, rng), doc.pack, rng) for name, doc in draft.docs.items()}
        return Case(grammar, draft.call, draft.arguments, files, is_valid=True)
    victims = rng.sample(list(draft.docs), 1 if rng.random() < 0.85 else min(2, len(draft.docs)))
    files = {name: _broken(doc, rng) if name in victims else _whole(doc, rng) for name, doc in draft.docs.items()}
    if rng.random() < 0.05:
        files = _disordered(files, rng)
    return Case(grammar, draft.call, draft.arguments, files)


def _whole(doc: Doc, rng: Random) -> bytes:
    return octets.compress(doc.write(doc.tree, rng), doc.pack, rng)


def _broken(doc: Doc, rng: Random) -> bytes:
    """Mostly the tree is mutated, less often its bytes, or those of its compressed form."""
    how = rng.random()
    data = doc.write(trees.mutate(doc.tree, rng, rng.choice((1, 1, 1, 2, 3)) if how < 0.75 else 0), rng)
    data = octets.mutate(data, rng, rng.choice((1, 1, 2)) if how > 0.7 else 0)
    packed = octets.compress(data, doc.pack, rng)
    return octets.mutate(packed, rng, 1) if doc.pack and rng.random() < 0.4 else packed


def _disordered(files: dict[str, bytes], rng: Random) -> dict[str, bytes]:
    """A file is missing, empty, or under the name of another."""
    first, second = rng.choice(list(files)), rng.choice(list(files))
    kind = rng.randrange(4)
    if kind == 0:
        return {name: content for name, content in files.items() if name != first}
    if kind == 1:
        return files | {first: b""}
    if kind == 2:
        return files | {first: files[second], second: files[first]}
    return files | {f"{first}.bak": files[second]}
