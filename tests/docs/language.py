"""Rules of plain technical English over docstrings and pages: faults of each file, and the ratchet that lets them fall.

`python -m tests.docs.language` writes the ratchet's file; it refuses where a count would rise or a changed file has
faults.
`python -m tests.docs.language FILE …` lists the faults of files, with their lines.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.docs.prose import ROOT, pages, paragraphs

RATCHET = Path(__file__).parent / "language.json"
FOLDERS = ("actors", "domain", "lab", "messages", "skills")
UNJUDGED_PAGES = frozenset({"CHANGELOG.md", "requirements.md"})
"""A history, and a page that is generated."""
PRONOUNS = frozenset(
    re.findall(
        r"\w+",
        "that what which who whom whose it its them they those these none nobody somebody nothing something others such"
        " one ones",
    )
)
BEGINNINGS = frozenset({"what", "who", "how", "where", "whether"})
BARE_NAMES = frozenset(re.findall(r"\w+", "found told said shown heard asked kept given held made taken meant came"))
"""Words that are no names of values: a name says what the value is."""
DENSE_SHARE = 0.25
"""Largest share of pronouns in a sentence."""
LEAST_WORDS = 5
"""Shorter sentences have no share."""
PAGE_SHARE = 0.06
"""Largest share of pronouns in a page."""
PAGE_MEAN = 17.0
"""Largest mean of words a sentence in a page."""
WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n\s*\n")
CODE = re.compile(r"`[^`]*`")
INDEFINITE = re.compile(r"\b(somebody|nobody|whoever|none of ours|what is none)\b", re.IGNORECASE)
DIALECT = re.compile(r"\b(sights|hush(es|ed)?|cross(es|ed)? out|crossing out|trims?)\b", re.IGNORECASE)
"""Words for which the field has its own: readership, untap, commit, compaction."""
COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
PARTICIPLES = frozenset(
    re.findall(
        r"\w+",
        "told heard shown said found made kept taken seen given known written left held lost sent met meant begun done"
        " gone come brought bought caught chosen drawn driven fallen felt forgotten hidden laid led lent paid sold"
        " sought spoken spent taught thrown understood won worn",
    )
)
NO_PARTICIPLES = frozenset(
    {"embed", "feed", "need", "seed", "speed", "shed", "bleed", "succeed", "indeed", "embedded", "used"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One breach of a rule.

    Attributes:
        rule: Name of the rule, as the ratchet's file has it.
        line: Number of its line; of a page as a whole, 1.
        text: Words at fault.
    """

    rule: str
    line: int
    text: str


def faults_in(path: Path) -> list[Fault]:
    """Faults of one Python file or page, in order of their lines."""
    text = path.read_text("utf-8")
    faults = _faults_in_python(ast.parse(text)) if path.suffix == ".py" else _faults_in_page(text)
    return sorted(faults, key=lambda fault: (fault.line, fault.rule))


def prose_digest(path: Path) -> str:
    """Digest of all prose and function names of a file: a change of code alone leaves it."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        parts = [docstring for _, docstring in docstrings_in(tree)]
        text = "\n".join([*parts, *(name for _, name in _functions(tree))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def judged_files() -> list[Path]:
    """Every Python file and page that the rules hold for."""
    sources = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return sources + [page for page in pages() if page.name not in UNJUDGED_PAGES]


def room_of(path: Path) -> str:
    """Room of a file: two folders at most; a page is a room of its own."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts if path.suffix == ".md" else parts[:-1][:2])


@cache
def survey() -> Mapping[str, Any]:
    """State of the tree as the ratchet's file has it.

    Returns:
        `rooms`: room -> rule -> count; `files`: file with faults -> digest of its prose.
    """
    rooms: dict[str, Counter[str]] = {}
    files: dict[str, str] = {}
    for path in judged_files():
        faults = faults_in(path)
        if faults:
            if any(fault.rule != "name" for fault in faults):  # Names on the wire and on disk stay.
                files[path.relative_to(ROOT).as_posix()] = prose_digest(path)
            rooms.setdefault(room_of(path), Counter()).update(fault.rule for fault in faults)
    return {"rooms": {room: dict(sorted(rooms[room].items())) for room in sorted(rooms)}, "files": files}


def read_ratchet() -> Mapping[str, Any]:
    """Ratchet as its file has it; empty without a file."""
    if not RATCHET.exists():
        return {"rooms": {}, "files": {}}
    read: dict[str, Any] = json.loads(RATCHET.read_text("utf-8"))
    return read


def risen(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """Counts of rooms that rose, each as one line."""
    return [
        f"{room}: {rule}: {count} faults, {before['rooms'].get(room, {}).get(rule, 0)} allowed"
        for room, counts in now["rooms"].items()
        for rule, count in counts.items()
        if count > before["rooms"].get(room, {}).get(rule, 0)
    ]


def changed_with_faults(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """Python files whose prose was changed and that still have faults; a page is held by its counts, as a room."""
    return [
        name for name, digest in now["files"].items() if name.endswith(".py") and before["files"].get(name) != digest
    ]


def _faults_in_python(tree: ast.Module) -> Iterator[Fault]:
    for line, docstring in docstrings_in(tree):
        words = WORD.findall(CODE.sub("X", docstring))
        if words and words[0].lower() in BEGINNINGS:
            yield Fault("beginning", line, docstring.split("\n", 1)[0])
        yield from _faults_in_sentences(line, docstring)
    for line, name in _functions(tree):
        if "_" not in name.strip("_") and _is_participle(name.strip("_")):
            yield Fault("participle", line, name)
    for line, name in _values(tree):
        if name.strip("_") in BARE_NAMES:
            yield Fault("name", line, name)


def _faults_in_page(text: str) -> Iterator[Fault]:
    sentences: list[list[str]] = []
    for block in paragraphs(text):
        line, prose = block[0][0], " ".join(part for _, part in block)
        yield from _faults_in_sentences(line, prose)
        sentences += [words for each in SENTENCE_END.split(prose) if (words := WORD.findall(each))]
    count = sum(map(len, sentences))
    if not count:
        return
    share = sum(word.lower() in PRONOUNS for words in sentences for word in words) / count
    if share > PAGE_SHARE:
        yield Fault("page pronouns", 1, f"{share:.1%} of the words are pronouns, at most {PAGE_SHARE:.0%}")
    mean = count / len(sentences)
    if mean > PAGE_MEAN:
        yield Fault("page sentences", 1, f"{mean:.1f} words a sentence, at most {PAGE_MEAN:g}")


def _faults_in_sentences(line: int, prose: str) -> Iterator[Fault]:
    for rule, pattern in (("indefinite", INDEFINITE), ("dialect", DIALECT), ("commit", COMMIT)):
        for match in pattern.finditer(CODE.sub("X", prose)):
            yield Fault(rule, line, match[0])
    for sentence in SENTENCE_END.split(CODE.sub("X", prose)):
        words = WORD.findall(sentence)
        pronouns = sum(word.lower() in PRONOUNS for word in words)
        if len(words) >= LEAST_WORDS and pronouns / len(words) > DENSE_SHARE:
            yield Fault("pronouns", line, " ".join(sentence.split()))


def docstrings_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of each string that stands alone: docstrings, and those below attributes."""
    for node in _blocks(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _blocks(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements and their parts that hold statements, in the order of `ast.walk`, without a look at expressions."""
    waiting = deque[ast.AST]([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            if isinstance(inner := getattr(node, name, ()), list):
                waiting.extend(inner)


def _functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of each function and method that is no property."""
    for node in _blocks(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
            if not decorators & {"property", "cached_property", "setter"}:
                yield node.lineno, node.name


def _values(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of each variable, attribute, parameter, captured value and class where it gets its name."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.ClassDef(name=name) | ast.MatchAs(name=str(name)):
                yield node.lineno, name
            case _:
                continue


def _is_participle(name: str) -> bool:
    return name in PARTICIPLES or (len(name) > 4 and name.endswith("ed") and name not in NO_PARTICIPLES)


def main(names: list[str]) -> int:
    """Exit code: 1 where files that are named have faults, or a count would rise."""
    if names:
        listed = [(name, fault) for name in names for fault in faults_in((ROOT / name).resolve())]
        for name, fault in listed:
            sys.stdout.write(f"{name}:{fault.line}: {fault.rule}: {fault.text[:160]}\n")
        return bool(listed)
    problems = (
        [*risen(survey(), read_ratchet()), *changed_with_faults(survey(), read_ratchet())] if RATCHET.exists() else []
    )
    if problems:
        sys.stdout.write("\n".join([*problems, ""]))
        return 1
    RATCHET.write_text(json.dumps(survey(), indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
