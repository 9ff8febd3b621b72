"""Observing: files of a window's folder named, read and listed by a command, from text and output.

A name is a guess until the file system confirms the file. A missed file is no fault: the file becomes known
when next named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

import msgspec

from domain.objects.commands import Command, Redirection, Step, Word, parse_command
from domain.objects.listing import Listing, listed_paths
from domain.objects.path import absolute, below
from messages.base import make_ready

MOST_NAMES = 200
MOST_PATTERNS = 20
_MOST_LISTINGS = 4
_DEEPEST = 2
"""Depth of nested shells to read."""
_MOST_SHELLS = 20

_SCRIPT = "/context-objects/scripts/objects.py"
_SHELLS = frozenset(("bash", "sh", "dash", "zsh"))
_GREPS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "ag"))
_TAKE_A_SCRIPT = frozenset(("sed", "awk", "gawk", "mawk", "jq", "yq", *_GREPS))
"""Programs whose first operand is no file, unless an option takes the operand's place."""
_CODE_OPTIONS = {"python": "cm", "node": "ep", "perl": "eE", "ruby": "e"} | dict.fromkeys(_SHELLS, "c")
"""Interpreter -> letters of the options behind which there is code, or the name of a module, in a script's place."""
_READERS = frozenset(
    (
        *(
            "cat",
            "tac",
            "nl",
            "head",
            "tail",
            "less",
            "more",
            "bat",
            "view",
            "source",
            ".",
            "sed",
            "awk",
            "gawk",
            "mawk",
        ),
        *("cut", "paste", "sort", "uniq", "comm", "join", "column", "fold", "fmt", "pr", "rev", "jq", "yq", "xmllint"),
        *("diff", "cmp", "colordiff", "sdiff", "od", "xxd", "hexdump", "strings", "base64", "wc", "file", "md5sum"),
        *("sha1sum", "sha256sum", *_GREPS, *_CODE_OPTIONS),
    )
)
"""Programs that read the files named by operands."""
_LISTERS = frozenset(("ls", "find", "fd", "fdfind", "locate", "tree", *_GREPS))
_PRINT_NAMES = frozenset((*_LISTERS, "git ls", "git status"))
_RESERVED = frozenset(("if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "fi", "done", "time"))
_PREFIXES = frozenset(("sudo", "env", "nohup", "timeout", "xargs", "command", "exec", "stdbuf", "nice", "builtin"))
"""Programs whose operands are a command."""
_EDITORS = frozenset(("sed", "perl", "ruby", "yq"))
"""Readers that also write their files with `-i`."""
_LONGEST_OPTION = 5
_NAMES_ONLY = frozenset(("--files-with-matches", "--files-without-match", "--files", "--name-only"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_AMOUNT = re.compile(r"[\d.]+[smhd]?")
_SCRIPT_NEXT = re.compile(r"-[A-Za-z]{0,5}e|--expression|--regexp")
_SCRIPT_GIVEN = re.compile(r"-[A-Za-z]{0,5}[ef]|--(?:expression|regexp|file|from-file|files)(?:=.*)?", re.DOTALL)
_EDITS = re.compile(r"-[A-Za-z]{0,5}i(?:\..*)?|--in-place(?:=.*)?", re.DOTALL)
_OF_NO_FILE = ("<<", "<<-", "<<<")
_JOINTS = re.compile(r"(?:&&|\|\||[;\n])*")
_ENDS = frozenset(("head", "tail"))
"""Programs that only shorten the output of a command."""
_COUNT = re.compile(r"-(?:[nc]?\d+|[nc])|[+-]?\d+")
_PYTHON_FLAGS = re.compile(r"-[BEIOPSbdqsuv]+")
"""Options of the interpreter with a script behind."""


class Observed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Files named by a command; every path is plain and below the window's folder."""

    names: tuple[str, ...] = ()
    """Names of possible files, in the order of the text, each once; `MOST_NAMES` at most."""
    reads: tuple[str, ...] = ()
    """The `names` whose content the command reads."""
    patterns: tuple[str, ...] = ()
    """Of names, with `*`, `?` and `[...]`; `MOST_PATTERNS` at most."""
    read_patterns: tuple[str, ...] = ()
    """The `patterns` whose files the command reads."""
    listed: tuple[str, ...] = ()
    """Names of possible files in the output of `ls`, `find`, `grep` and similar programs."""
    whole: str = ""
    """File whose content is the whole output; empty if the command is more than a `cat` of one file."""
    manages: bool = False
    """True if the command runs only the script of the skill `context-objects`."""


def observe(command: str, output: str, folder: str) -> Observed:
    """Files below `folder` by a command that ran there and the command's output. Takes any text.

    Args:
        command: Text for a shell.
        output: Printed text, or the known part.
        folder: Absolute path.
    """
    root = absolute("/", folder)
    text = parse_command(command)
    observer = _Observer(root)
    observer.run(text.steps)
    return Observed(
        names=tuple(observer.names),
        reads=observer.read_of(observer.names),
        patterns=tuple(observer.patterns),
        read_patterns=observer.read_of(observer.patterns),
        listed=listed_paths(root, output, observer.listings),
        whole=observer.printed if _only_prints_one(text) else "",
        manages=_manages(text),
    )


class _Observer:
    """Reader of a command's steps that tracks the folder of each step."""

    def __init__(self, folder: str) -> None:
        self.names: dict[str, bool] = {}
        self.patterns: dict[str, bool] = {}
        self.listings: list[Listing] = []
        self.printed = ""
        self._folder = folder
        self._here: str | None = folder
        self._there: str | None = None
        self._outer: list[str | None] = []
        self._shells = 0
        self._looped: set[str] = set()
        self._reads_unknown = False

    def run(self, steps: Iterable[Step], depth: int = 0) -> None:
        """Read steps in their order."""
        for step in steps:
            self._follow_brackets(step.before)
            words = step.words
            start = _start(words)
            program = _program(words[start]) if start < len(words) else ""
            if _is_cat_of_one(step):
                self.printed = self.path_of(words[1].text)
            if step.before.endswith(")"):  # not a command: what follows `<(...)` in one
                self._take(step, dict.fromkeys(range(len(words)), False))
            elif program in ("cd", "pushd"):
                self._take(step, {})
                self._go([word for word in words[start + 1 :] if word.text[:1] != "-" or word.text == "-"])
            elif program == "for":
                self._looped.update(self.path_of(word.pattern or word.text) for word in words[start + 3 :])
                self._take(step, dict.fromkeys(range(start + 3, len(words)), False))
            else:
                self._take(step, _roles(program, words, start))
                self._note_listing(program, words[start + 1 :])
            if depth < _DEEPEST and self._shells < _MOST_SHELLS and (inner := _inner_of(step)) is not None:
                self._run_inner(inner, depth)

    def read_of(self, names: dict[str, bool]) -> tuple[str, ...]:
        """The paths of `names` that are read; in a loop also if the read file is named by a variable."""
        looped = self._looped if self._reads_unknown else ()
        return tuple(path for path, reads in names.items() if reads or path in looped)

    def path_of(self, name: str) -> str:
        """Plain path of `name` in the current folder; empty without such a path."""
        if self._here is None and name[:1] != "/":
            return ""
        return below(self._folder, self._here or "/", name)

    def _follow_brackets(self, operators: str) -> None:
        for each in operators:
            if each == "(":
                self._outer.append(self._here)
            elif each == ")" and self._outer:
                self._here = self._outer.pop()

    def _go(self, words: list[Word]) -> None:
        before, to = self._here, words[0] if words else None
        if to is not None and to.text == "-":
            self._here = self._there
        elif to is None or to.text == "~":
            self._here = self._folder  # which is the home of commands
        elif not to.is_known or to.pattern:
            self._here = None
        elif to.text[:1] == "/" or before is not None:
            self._here = absolute(before or "/", to.text)
        self._there = before

    def _run_inner(self, command: Command, depth: int) -> None:
        self._shells += 1
        here, outer, self._outer = self._here, self._outer, []
        self.run(command.steps, depth + 1)
        self._here, self._outer = here, outer

    def _take(self, step: Step, roles: dict[int, bool]) -> None:
        place = 0
        for part in step.parts:
            if isinstance(part, Redirection):
                if part.operator not in _OF_NO_FILE and not _is_of_descriptor(part):
                    self._add(part.target, reads=part.operator in ("<", "<>"))
                continue
            if place in roles:
                self._add(part, reads=roles[place])
            place += 1

    def _add(self, word: Word, *, reads: bool) -> None:
        self._reads_unknown = self._reads_unknown or (reads and not word.is_known)
        if not word.is_known or "://" in word.text:
            return
        is_option = word.text[:1] == "-"
        if word.pattern and not is_option:
            _note(self.patterns, self.path_of(word.pattern), MOST_PATTERNS, reads=reads)
        elif not word.pattern:
            _, equals, value = word.text.partition("=")
            for text in (() if is_option else (word.text,)) + ((value,) if equals else ()):
                _note(self.names, self.path_of(text), MOST_NAMES, reads=reads)

    def _note_listing(self, program: str, words: list[Word]) -> None:
        if program == "git" and words:
            program, words = _listing_of_git([word.text for word in words]), words[1:]
        if program not in _PRINT_NAMES or self._here is None or len(self.listings) >= _MOST_LISTINGS:
            return
        options = [word.text for word in words if word.text[:1] == "-"]
        operands = [word for word in words if word.text[:1] != "-"]
        letters = "".join(option[1:] for option in options if option[:2] != "--")
        are_known = all(word.is_known and not word.pattern for word in operands)
        if program == "tree" and "f" not in letters:
            return
        self.listings.append(
            Listing(
                program="grep" if program in _GREPS else program,
                here=self._here,
                operands=tuple(word.text for word in operands) if program == "ls" and are_known else (),
                options=letters,
                is_of_names=program in _GREPS
                and (not _NAMES_ONLY.isdisjoint(options) or not {*"lL"}.isdisjoint(letters)),
            )
        )


def _note(names: dict[str, bool], path: str, most: int, *, reads: bool) -> None:
    if path and (path in names or len(names) < most):
        names[path] = reads or names.get(path, False)


def _start(words: list[Word]) -> int:
    """Index of the command proper, behind reserved words, assignments, and programs that run another program."""
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if _program(words[at - 1]) in _PREFIXES:
            while at < len(words) and (words[at].text[:1] == "-" or _AMOUNT.fullmatch(words[at].text)):
                at += 1
        elif text not in _RESERVED and not _ASSIGNMENT.match(text):
            return at - 1
    return at


def _program(word: Word) -> str:
    name = posixpath.basename(word.text)
    return "python" if name.startswith("python") else name


def _roles(program: str, words: list[Word], start: int) -> dict[int, bool]:
    """Words of a command that may name files -> True if the command reads the file."""
    roles: dict[int, bool] = {}
    if start < len(words) and "/" in words[start].text:
        roles[start] = False
    operands: list[int] = []
    reads, has_script, code = program in _READERS, program not in _TAKE_A_SCRIPT, _CODE_OPTIONS.get(program, "")
    are_options, is_next_no_file = True, False
    for at in range(start + 1, len(words)):
        text = words[at].text
        if is_next_no_file:
            is_next_no_file = False
        elif not are_options or text[:1] != "-" or text == "-":
            operands.append(at)
        else:
            are_options = text != "--"
            roles[at] = False  # `--option=file`
            if program in _TAKE_A_SCRIPT:
                is_next_no_file = _SCRIPT_NEXT.fullmatch(text) is not None
                has_script = has_script or _SCRIPT_GIVEN.fullmatch(text) is not None
            elif not operands and _takes_code(text, code):
                is_next_no_file, reads = True, False
            reads = reads and not (program in _EDITORS and _EDITS.fullmatch(text))
    return roles | dict.fromkeys(operands if has_script else operands[1:], reads)


def _takes_code(option: str, letters: str) -> bool:
    """True if the word behind an interpreter's option is no file: the last letter says so."""
    return len(option) <= _LONGEST_OPTION and option[1:].isalpha() and option[-1] in letters


def _listing_of_git(words: list[str]) -> str:
    match words[0]:
        case "grep":
            return "grep"
        case "status" if not {"-s", "--short", "--porcelain"}.isdisjoint(words):
            return "git status"
        case "ls-files":
            return "git ls"
        case _:
            return "git ls" if "--name-only" in words else ""


def _inner_of(step: Step) -> Command | None:
    """Command given to a shell behind `-c`; None without a command."""
    words = step.words
    start = _start(words)
    if start >= len(words) or _program(words[start]) not in _SHELLS:
        return None
    at = next((n for n in range(start + 2, len(words)) if _takes_code(words[n - 1].text, "c")), len(words))
    return parse_command(words[at].text) if at < len(words) and words[at].is_known else None


def _only_prints_one(command: Command, depth: int = 0) -> bool:
    """True if the command is `cat` with one file, and otherwise only changes folders."""
    others = [step for step in command.steps if not _is_way(step)]
    if not command.is_whole or command.after.strip(";\n") or len(others) != 1 or any(map(_is_other, command.steps)):
        return False
    if _is_cat_of_one(others[0]):
        return True
    inner = _inner_of(others[0]) if depth < _DEEPEST else None
    return inner is not None and _only_prints_one(inner, depth + 1)


def _is_cat_of_one(step: Step) -> bool:
    words = step.words
    if len(words) != 2 or words[0].text != "cat":
        return False
    return words[1].is_known and not words[1].pattern and words[1].text[:1] != "-"


def _is_other(step: Step) -> bool:
    """True if a step is more than words run after the preceding step."""
    return bool(step.before.replace("&&", "").strip(";\n")) or len(step.words) != len(step.parts)


def _is_way(step: Step) -> bool:
    return [word.text for word in step.words[:1]] == ["cd"]


def _manages(command: Command) -> bool:
    if not command.is_whole or not _JOINTS.fullmatch(command.after):
        return False
    if not all(_JOINTS.fullmatch(step.before) or _is_end(step) for step in command.steps):
        return False
    others = [step for step in command.steps if not _is_way(step) and not _is_end(step)]
    return bool(others) and all(_runs_the_script(step) for step in others)


def _is_end(step: Step) -> bool:
    """True if a step only shortens the output of the step before."""
    names = [word.text for word in step.words]
    is_pure = len(step.words) == len(step.parts) and all(_COUNT.fullmatch(name) for name in names[1:])
    return step.before == "|" and names[:1] != [] and names[0] in _ENDS and is_pure


def _runs_the_script(step: Step) -> bool:
    words = step.words
    start = _start(words)
    if start < len(words) and _program(words[start]) == "python":
        start += 1
        while start < len(words) and _PYTHON_FLAGS.fullmatch(words[start].text):
            start += 1
    if start >= len(words) or not words[start].text.endswith(_SCRIPT) or not all(word.is_known for word in words):
        return False
    return all(_is_harmless(part) for part in step.parts if isinstance(part, Redirection))


def _is_harmless(redirection: Redirection) -> bool:
    """True if the redirection reads and writes no file: errors go where the output goes, or to `/dev/null`."""
    return redirection.target.text == "/dev/null" or _is_of_descriptor(redirection)


def _is_of_descriptor(redirection: Redirection) -> bool:
    """True if the redirection names an open descriptor, or closes a descriptor, such as `2>&1`."""
    target = redirection.target.text
    return redirection.operator in (">&", "<&") and (target.isdecimal() or target == "-")


make_ready(__name__)
