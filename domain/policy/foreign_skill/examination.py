"""Examination of a skill by another author: findings for the person who decides whether to add the skill.

Findings help to read; a skill without any may be hostile all the same, and the sandbox holds in either case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

MOST_LINES = 50_000
"""Most lines of one file to examine; later lines are not examined."""
LONGEST_LINE = 4_000
"""Most characters of a line to examine."""
LONGEST_TEXT_BYTES = 1024 * 1024
"""Most bytes of a file to examine."""
MOST_FINDINGS = 200


class Kind(Enum):
    """Kind of a file, by content and name."""

    INSTRUCTIONS = "instructions"
    SCRIPT = "script"
    PROGRAM = "program"
    ARCHIVE = "archive"
    TEXT = "text"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding."""

    path: str
    line: int
    """From 1; 0 for the whole file."""
    text: str
    is_grave: bool
    """True if an unattended command must not add the skill."""

    def __str__(self) -> str:
        """Finding on one line."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


@dataclass(frozen=True, slots=True)
class Examined:
    """Result for one file."""

    path: str
    size: int
    kind: Kind
    language: str
    """Interpreter of a script, format of a program; empty for all other files."""
    findings: tuple[Finding, ...] = ()
    network: tuple[str, ...] = ()
    """Marks of network use: hosts, commands and libraries."""


_SUFFIXES: Mapping[str, str] = {
    ".py": "python",
    ".sh": "sh",
    ".bash": "bash",
    ".zsh": "zsh",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "node",
    ".rb": "ruby",
    ".pl": "perl",
    ".php": "php",
    ".lua": "lua",
    ".ps1": "powershell",
    ".bat": "cmd",
    ".cmd": "cmd",
    ".applescript": "osascript",
    ".r": "R",
}
_MAGIC: tuple[tuple[bytes, Kind, str], ...] = (
    (b"\x7fELF", Kind.PROGRAM, "ELF"),
    (b"MZ", Kind.PROGRAM, "Windows"),
    (b"\xcf\xfa\xed\xfe", Kind.PROGRAM, "macOS"),
    (b"\xca\xfe\xba\xbe", Kind.PROGRAM, "macOS or Java"),
    (b"\0asm", Kind.PROGRAM, "WebAssembly"),
    (b"PK\x03\x04", Kind.ARCHIVE, "zip"),
    (b"\x1f\x8b", Kind.ARCHIVE, "gzip"),
    (b"7z\xbc\xaf", Kind.ARCHIVE, "7z"),
    (b"Rar!", Kind.ARCHIVE, "rar"),
    (b"BZh", Kind.ARCHIVE, "bzip2"),
    (b"\xfd7zXZ", Kind.ARCHIVE, "xz"),
)
_DOCUMENTS = frozenset({".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".svgz"})
"""Suffixes of documents that are archives by their content."""
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)?)?([\w.+-]{1,40})")

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
    "|(?<=[\x21-\x7e])[\u200c\u200d](?=[\x21-\x7e])"  # joiners belong to scripts that join, and to emoji
    "|[\ufe00-\ufe0f]{2}|(?<=[A-Za-z])[\ufe00-\ufe0f]"
)
_SHELLS = r"(?:sudo\s{1,9})?(?:/\S{1,40}/)?(?:ba|z|da|k|fi)?sh\b"
_RUNNERS = rf"(?:{_SHELLS}|(?:sudo\s{{1,9}})?(?:/\S{{1,40}}/)?(?:python3?|node|perl|ruby|osascript)\b)"
_GRAVE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "fetches a program and runs it at once",
        re.compile(
            rf"\b(?:curl|wget)\b[^|\n]{{0,400}}\|\s{{0,9}}{_RUNNERS}"
            rf"|(?:\b(?:eval|source|exec)\b|{_SHELLS}\s{{1,9}}-\w{{0,5}}c\b|(?:^|[\s;&|`])\.)\s{{1,9}}[\"']?(?:\$\(|`|<\()"
            r"\s{0,9}(?:curl|wget)\b"
            rf"|{_RUNNERS}\s{{0,9}}<\(\s{{0,9}}(?:curl|wget)\b"
            r"|\b(?:iex|invoke-expression)\b[^\n]{0,200}\b(?:irm|iwr|invoke-webrequest|downloadstring|invoke-restmethod)\b"
            r"|\b(?:irm|iwr|invoke-webrequest|invoke-restmethod)\b[^|\n]{0,300}\|\s{0,9}(?:iex|invoke-expression)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "decodes a hidden program and runs it",
        re.compile(
            rf"\b(?:base64\b[^|\n]{{0,200}}|xxd\s{{1,9}}-r[^|\n]{{0,200}}|rev\s{{0,9}})\|\s{{0,9}}{_RUNNERS}"
            r"|\b(?:eval|exec)\s{0,9}\(\s{0,9}(?:base64|codecs|zlib|marshal|atob|Buffer\.from|bytes\.fromhex)\b"
            r"|\beval\b[^\n]{0,100}\bbase64\b|-enc(?:odedcommand)?\s{1,9}[A-Za-z0-9+/=]{40}",
            re.IGNORECASE,
        ),
    ),
    (
        "asks for an archive with a password, which scanners cannot open",
        re.compile(
            r"\.(?:zip|rar|7z)\b[^\n]{0,200}\bpass(?:word|phrase|code)?\b\s{0,9}[:=`'\"]"
            r"|\b(?:archive|zip|extract\w{0,6})\b[^\n]{0,60}\bpass(?:word|phrase)?\b\**\s{0,9}[:=]",
            re.IGNORECASE,
        ),
    ),
    (
        "tries to overrule the agent's instructions or to keep things from people",
        re.compile(
            r"\b(?:ignore|disregard|forget|override)\s{1,9}(?:all\s{1,9}|any\s{1,9}|the\s{1,9}|your\s{1,9}){0,3}"
            r"(?:previous|prior|above|earlier|system|existing)\s{1,9}(?:instructions?|rules?|prompts?|messages?)"
            r"|\b(?:do\s{1,9}not|don't|never)\s{1,9}(?:tell|inform|notify|alert)\s{1,9}(?:the\s{1,9})?"
            r"(?:user|human|owner|operator|person)\b"
            r"|\bwithout\s{1,9}(?:telling|informing|notifying|alerting)\s{1,9}(?:the\s{1,9})?(?:user|human|owner|operator)",
            re.IGNORECASE,
        ),
    ),
    (
        "accesses keys or secrets of this machine",
        re.compile(
            r"(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.-]{1,40}|expanduser\([^)\n]{0,40}|homedir\(\)[^\n]{0,40})"
            r"[/\"', ]{0,4}(?:\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.docker/config|\.kube|\.config/gcloud"
            r"|\.git-credentials|\.mozilla|Library/Keychains)"
            r"|/etc/shadow\b|\bsecurity\s{1,9}(?:find-generic-password|dump-keychain)\b|\bid_(?:rsa|ed25519)\b"
            r"|\b(?:dict|dumps|str|list)\(\s{0,9}(?:dict\()?os\.environ\b|\bJSON\.stringify\(\s{0,9}process\.env\s{0,9}\)"
            r"|/run/agent/|\bAGENT_SOCKET\b",
        ),
    ),
    (
        "installs itself, to run at each start or in each shell",
        re.compile(
            r"(?:>>?|tee\s{1,9}(?:-a\s{1,9})?|open\()\s{0,9}[\"']?(?:~|\$HOME)/\.(?:bashrc|zshrc|profile|bash_profile)\b"
            r"|\bcrontab\s{1,9}-(?!l\b)|\bsystemctl\s{1,9}(?:--user\s{1,9})?enable\b|\blaunchctl\s{1,9}load\b"
            r"|\bauthorized_keys\b|\.git/hooks/",
        ),
    ),
    (
        "fetches from a bare IP address",
        re.compile(
            r"https?://(?!127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.169\.254"
            r"|1\.1\.1\.1|8\.8\.8\.8)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"
        ),
    ),
    (
        "asks the cloud's metadata service for keys",
        re.compile(r"\b169\.254\.169\.254\b|\bmetadata\.google\.internal\b"),
    ),
)
"""Words of a finding -> pattern; each repetition is bounded, so a line costs linear time."""
_NOTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("asks for root rights", re.compile(r"(?:^|[\s`;&|$(])sudo\s{1,9}[a-z/]")),
    ("removes whole folders", re.compile(r"\brm\s{1,9}-(?:rf|fr|r\s{1,9}-f)\w{0,4}\s{1,9}[\"']?(?:/|~|\$HOME)")),
    (
        "installs packages",
        re.compile(
            r"\b(?:pip3?|uv\s{1,9}pip)\s{1,9}install\b|\b(?:npm|pnpm|yarn|bun)\s{1,9}(?:install|i|add)\b"
            r"|\b(?:npx|bunx|uvx)\s{1,9}[\w@-]|\b(?:brew|apt|apt-get|dnf|yum|apk|cargo|go|gem)\s{1,9}install\b"
        ),
    ),
    (
        "has another agent run a command as it reads this (not run here)",
        re.compile(r"(?:^|\s)!`[^`\n]{1,400}`"),
    ),
)
_SCRIPT_NOTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "makes code from text and runs the code",
        re.compile(
            r"\b(?:eval|exec)\s{0,9}\(|\b(?:importlib\.import_module|__import__)\s{0,9}\(|\bnew\s{1,9}Function\("
        ),
    ),
    (
        "holds a long coded text",
        re.compile(r"[A-Za-z0-9+/]{400}|(?:\\x[0-9a-fA-F]{2}){80}"),
    ),
)
_SHELL_BLOCK = re.compile(r"^[ \t]{0,8}```(?:bash|sh|shell|console|zsh)[ \t]*\n(.*?)^[ \t]{0,8}```", re.M | re.S)
_COMMENT = re.compile(r"<!--")
_URL = re.compile(r"\b(?:https?|wss?|ftp)://([\w.-]{1,200})", re.IGNORECASE)
_NETWORK = re.compile(
    r"\b(curl|wget|nc|ncat|ssh|scp|rsync|telnet)\s{1,9}[-\w\"'$~/]"
    r"|^\s{0,40}(?:import|from)\s{1,9}(requests|urllib3?|httpx|aiohttp|socket|websockets?|ftplib|smtplib|paramiko)\b"
    r"|\b(fetch|XMLHttpRequest|WebSocket)\s{0,9}\("
    r"|(?:require\s{0,9}\(|from)\s{0,9}[\"'](?:node:)?(https?|net|dgram|axios|node-fetch|undici|got|ws)[\"']"
)


def examine_file(path: str, data: bytes, *, is_instructions: bool, is_executable: bool) -> Examined:
    """Kind, findings and network use of one file.

    Args:
        path: Below the skill's folder.
        data: The whole content.
        is_instructions: True for the skill's own file.
        is_executable: True if the file can be run.
    """
    kind, language = kind_of(path, data, is_instructions=is_instructions, is_executable=is_executable)
    findings: list[Finding] = []
    if hidden := hidden_characters(path):
        findings.append(Finding(path, 0, f"has hidden characters in its name: {', '.join(hidden[:5])}", is_grave=True))
    if kind is Kind.PROGRAM:
        findings.append(Finding(path, 0, f"is a program without its source ({language})", is_grave=True))
    if kind is Kind.ARCHIVE:
        findings.append(Finding(path, 0, f"is an archive ({language}), which was not examined", is_grave=False))
    if path.rpartition("/")[2].startswith("."):
        findings.append(Finding(path, 0, "has a name that lists do not show", is_grave=False))
    if kind not in (Kind.INSTRUCTIONS, Kind.SCRIPT, Kind.TEXT):
        return Examined(path, len(data), kind, language, tuple(findings))
    if len(data) > LONGEST_TEXT_BYTES:
        text = f"has {len(data)} bytes: only the first {LONGEST_TEXT_BYTES} were examined"
        findings.append(Finding(path, 0, text, is_grave=kind is not Kind.TEXT))
    network: dict[str, None] = {}
    lines = data[:LONGEST_TEXT_BYTES].decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    if len(lines) > MOST_LINES:
        text = f"has {len(lines)} lines: only the first {MOST_LINES} were examined"
        findings.append(Finding(path, 0, text, is_grave=kind is not Kind.TEXT))
    for number, line in enumerate(lines[:MOST_LINES], start=1):
        findings += _line_findings(path, number, line, kind)
        if kind is not Kind.TEXT:
            network.update(dict.fromkeys(_network_marks(line)))
        if len(findings) > MOST_FINDINGS:
            findings.append(Finding(path, number, "there are more findings in this file", is_grave=True))
            break
    return Examined(path, len(data), kind, language, tuple(findings), tuple(network))


def kind_of(path: str, data: bytes, *, is_instructions: bool, is_executable: bool) -> tuple[Kind, str]:
    """Kind of a file, with its interpreter or format."""
    if is_instructions:
        return Kind.INSTRUCTIONS, ""
    suffix = PurePosixPath(path).suffix.lower()
    for magic, kind, name in _MAGIC:
        if data.startswith(magic):
            return (Kind.DATA, "") if kind is Kind.ARCHIVE and suffix in _DOCUMENTS else (kind, name)
    if suffix == ".pyc":
        return Kind.PROGRAM, "Python's bytecode"
    first = data[:200].decode("utf-8", "replace").partition("\n")[0]
    if shebang := _SHEBANG.match(first):
        return Kind.SCRIPT, shebang[1]
    if suffix in _SUFFIXES:
        return Kind.SCRIPT, _SUFFIXES[suffix]
    if b"\0" in data[:8_000]:
        return (Kind.PROGRAM, "unknown") if is_executable else (Kind.DATA, "")
    return (Kind.SCRIPT, "unknown") if is_executable else (Kind.TEXT, "")


def hidden_characters(text: str) -> tuple[str, ...]:
    """Characters invisible to readers, each once, as code points."""
    characters = dict.fromkeys(char for match in _HIDDEN.finditer(text) for char in match[0])
    return tuple(f"U+{ord(char):04X}" for char in characters)


def shell_lines(text: str) -> tuple[str, ...]:
    """Commands in the blocks of shell code of a skill's file, each once."""
    lines = (line.strip() for block in _SHELL_BLOCK.finditer(text) for line in block[1].splitlines())
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))


def text_findings(place: str, text: str) -> tuple[Finding, ...]:
    """Grave findings in a text for every prompt, such as a description.

    Args:
        place: Name of the text.
        text: Any.
    """
    return tuple(
        finding
        for line in text.splitlines()
        for finding in _line_findings(place, 0, line, Kind.TEXT)
        if finding.is_grave
    )


def _line_findings(path: str, number: int, line: str, kind: Kind) -> Iterator[Finding]:
    if len(line) > LONGEST_LINE:
        text = f"line of {len(line)} characters: only the first {LONGEST_LINE} were examined"
        yield Finding(path, number, text, is_grave=kind is not Kind.TEXT)
        line = line[:LONGEST_LINE]
    if not line.isascii() or "\x7f" in line or not line.isprintable():
        hidden = hidden_characters(line.rstrip("\r"))
        if hidden:
            more = f" and {len(hidden) - 5} more" if len(hidden) > 5 else ""
            text = f"has hidden characters: {', '.join(hidden[:5])}{more}"
            yield Finding(path, number, text, is_grave=True)
    for patterns, is_grave in _patterns(kind):
        for text, pattern in patterns:
            if pattern.search(line):
                yield Finding(path, number, text, is_grave)
    if kind is Kind.INSTRUCTIONS and _COMMENT.search(line):
        yield Finding(path, number, "begins a comment, which a rendered page does not show", is_grave=False)


def _patterns(kind: Kind) -> Iterable[tuple[tuple[tuple[str, re.Pattern[str]], ...], bool]]:
    yield _GRAVE, True
    if kind is not Kind.TEXT:
        yield _NOTES, False
    if kind is Kind.SCRIPT:
        yield _SCRIPT_NOTES, False


def _network_marks(line: str) -> Iterator[str]:
    line = line[:LONGEST_LINE]
    for url in _URL.finditer(line):
        yield url[1].lower().rstrip(".")
    for mark in _NETWORK.finditer(line):
        yield next(word for word in mark.groups() if word)
