"""Observation of a command: which files its text names, and which its output lists.

Best effort, and no parser of shell: whatever comes out is a candidate, and the folder says whether it is a file. A miss
is no fault.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.objects.path import absolute, below
from domain.objects.shell_words import Simple, Word, simple_commands

MOST_NAMES = 200
MOST_LINES = 2_000
"""Lines of an output that are looked at."""
_MOST_FOLDERS = 5
_MOST_LISTERS = 5
_DEEPEST = 2
"""Commands within `bash -c`."""
SCRIPT = "context-objects/scripts/objects.py"

_READERS = frozenset(
    (
        *(
            "cat",
            "head",
            "tail",
            "tac",
            "rev",
            "less",
            "more",
            "nl",
            "bat",
            "file",
            "wc",
            "strings",
            "xxd",
            "od",
            "hexdump",
        ),
        *("sed", "awk", "gawk", "cut", "tr", "paste", "join", "comm", "column", "fold", "sort", "uniq", "diff", "cmp"),
        *("xxd", "hexdump", "jq", "yq", "base64", "md5sum", "sha1sum", "sha256sum", "grep", "egrep", "fgrep", "rg"),
        *("python", "python3", "node", "ruby", "perl", "bash", "sh", "source", "."),
    )
)
"""Programs that read what their arguments name."""
_PREFIXES = frozenset(
    (
        *("sudo", "env", "nice", "nohup", "command", "builtin", "exec", "time", "stdbuf"),
        *("if", "then", "else", "while", "until", "do", "!", "{"),
    )
)
"""Words that stand before a command and are none."""
_SHELLS = frozenset(("bash", "sh", "dash", "zsh"))
_FINDERS = frozenset(("find", "fd", "fdfind", "git", "tree", "locate"))
_GREPS = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "ack"))
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_LONG_LINE = re.compile(r"[-dlbcps][rwxsStT-]{9}[.+@]?(?:\s+\S+){4}\s+\S+\s+\S+(?:\s+[\d:]+)?\s+(?P<name>.+)")
"""A line of `ls -l`."""
_OF_TREE = re.compile("^[\u2502\u251c\u2514\u2500\u00a0 |`+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Candidates of one command; paths are plain and from the window's folder on."""

    names: tuple[str, ...] = ()
    """What the command's text names, in its order."""
    reads: tuple[str, ...] = ()
    """Those of them whose content it reads."""
    patterns: tuple[str, ...] = ()
    """Names with wildcards, as the shell would expand them."""
    listed: tuple[str, ...] = ()
    """What its output lists."""
    whole: str = ""
    """The file that the command prints and nothing else; empty for none."""
    manages: bool = False
    """Whether it only ran the script that manages objects."""


def observed(command: str, output: str, folder: str) -> Observed:
    """What a command names.

    Args:
        command: As it was given to bash.
        output: What it printed, as far as that is known.
        folder: Of the window, absolute; where the command began.
    """
    look = _Look(posixpath.normpath(folder))
    look.follow(command, _DEEPEST)
    return Observed(
        names=tuple(look.names)[:MOST_NAMES],
        reads=tuple(look.reads)[:MOST_NAMES],
        patterns=tuple(look.patterns)[:MOST_NAMES],
        listed=tuple(dict.fromkeys(look.listed(output)))[:MOST_LINES],
        whole=look.whole,
        manages=look.manages,
    )


class _Look:
    """Walk through the simple commands of a line, with the folder in which each runs."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._here = folder
        self._outer: list[str] = []
        self._listers: list[tuple[str, str, tuple[str, ...]]] = []
        """Program, the folder in which it ran, and its arguments."""
        self._ran = 0
        self._managed = 0
        self._whole = ""
        self.names: dict[str, None] = {}
        self.reads: dict[str, None] = {}
        self.patterns: dict[str, None] = {}

    @property
    def whole(self) -> str:
        """The file that is printed, if nothing else is done."""
        return self._whole if self._ran == 1 else ""

    @property
    def manages(self) -> bool:
        """Whether nothing is done but manage objects."""
        return 0 < self._ran == self._managed

    def follow(self, line: str, depth: int) -> None:
        """Take in a line of shell."""
        for simple in simple_commands(line):
            self._outer += [self._here] * simple.opened
            self._take(simple, depth)
            for _ in range(min(simple.closed, len(self._outer))):
                self._here = self._outer.pop()

    def _take(self, simple: Simple, depth: int) -> None:
        words = _without_prefixes(simple.words)
        for target, is_read in simple.redirections:
            self._name(target, is_read=is_read)
        if not words:
            self._ran += bool(simple.redirections)
            return
        program, arguments = posixpath.basename(words[0].text), words[1:]
        if program == "cd":
            self._change_folder(arguments)
            return
        self._ran += 1
        script = words[1:2] if program.startswith("python") else words[:1]
        if script and script[0].text.endswith(SCRIPT):
            self._managed += 1
            return
        if program in _SHELLS and depth and len(arguments) > 1 and arguments[0].text in ("-c", "-lc"):
            self._ran -= 1
            self.follow(arguments[1].text, depth - 1)
            return
        self._name_all(program, arguments)
        is_lister = program in _FINDERS or program in _GREPS or program in ("ls", "dir", "vdir")
        if is_lister and len(self._listers) < _MOST_LISTERS:
            named = tuple(word.text for word in arguments if word.is_name and not word.text.startswith("-"))
            self._listers.append((program, self._here, named))
        is_whole = program == "cat" and len(arguments) == 1 and arguments[0].is_name and not simple.redirections
        if is_whole and not simple.is_piped and not arguments[0].text.startswith("-"):
            self._whole = below(self._folder, self._here, arguments[0].text)

    def _name_all(self, program: str, arguments: Sequence[Word]) -> None:
        for word in arguments:
            text = word.text
            if text.startswith("-"):
                _, equals, text = text.partition("=")
                if not equals:
                    continue
            self._name(Word(text, word.is_literal, word.is_pattern), is_read=program in _READERS)

    def _name(self, word: Word, *, is_read: bool) -> None:
        if not word.is_literal or not (path := below(self._folder, self._here, word.text)):
            return
        if word.is_pattern:
            self.patterns[path] = None
            return
        self.names[path] = None
        if is_read:
            self.reads[path] = None

    def _change_folder(self, arguments: Sequence[Word]) -> None:
        given = [word for word in arguments if not word.text.startswith("-")]
        if not given:
            self._here = self._folder
        elif given[0].is_name:
            self._here = absolute(self._here, given[0].text)

    # outputs

    def listed(self, output: str) -> Iterator[str]:
        """Paths that lines of the output may name."""
        if not self._listers:
            return
        lines = output.split("\n", MOST_LINES)[:MOST_LINES]
        for program, here, named in self._listers:
            for line in lines:
                for name in _names_in(program, line.rstrip(), named):
                    if path := below(self._folder, here, name):
                        yield path


def _without_prefixes(words: Sequence[Word]) -> Sequence[Word]:
    """A command without assignments and words such as `sudo`."""
    at = 0
    while at < len(words) and (words[at].text in _PREFIXES or _ASSIGNMENT.match(words[at].text)):
        at += 1
    if at < len(words) and words[at].text in ("timeout", "xargs"):
        at += 1
        while at < len(words) and (words[at].text[:1] == "-" or words[at].text[:1].isdigit()):
            at += 1
    return words[at:]


def _names_in(program: str, line: str, named: Sequence[str]) -> Iterator[str]:
    """What a line of a program's output may name."""
    if not line or line.startswith("total "):
        return
    if program in _GREPS or program == "git":
        yield line.partition(":")[0]
    elif program == "tree":
        yield _OF_TREE.sub("", line)
    elif program in _FINDERS:
        yield line
    else:
        found = _LONG_LINE.fullmatch(line)
        name = (found["name"].partition(" -> ")[0] if found else line).rstrip("*=@|")
        yield name
        for folder in named[:_MOST_FOLDERS]:
            yield f"{folder}/{name}"
