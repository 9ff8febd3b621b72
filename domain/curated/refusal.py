"""Refusals: why a text may not be written into curated memory, in words for whoever asked."""

from __future__ import annotations

import re

from domain.curated.page import Scope

LONGEST_FACT = 500
"""Characters; what is longer belongs into a topic file."""
LONGEST_SECTION = 80
LONGEST_TITLE = 80
_TOPIC = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\.md")
_RESERVED = frozenset(("memory.md", "agents.md", "claude.md", "gemini.md", "readme.md", "skill.md"))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_COMMENT = re.compile(r"<!--|-->")
_NAMED_SECRET = re.compile(
    r"""(?ix)
    (?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api[\s_-]?key|access[\s_-]?key|auth[\s_-]?key
       |private[\s_-]?key|client[\s_-]?secret|pin)
    (?:\s+(?:for|of|to|on)\s+[^:=]{1,60}?)?
    \s*(?P<sign>\bis\b|\bare\b|[:=]|->|=>)\s*
    ["'`]?(?P<value>[^\s"'`]{4,})(?P<more>["'`.,;]*\s+\S)?
    """
)
_HARMLESS_VALUES = re.compile(
    r"(?i)\*+|<\S*|\$\{?[A-Za-z_].*|\{\{.*|https?://[^@?]*|[a-z]+/[\w./-]+|none|null|empty[.,;]*"
)
"""Placeholders, and where a secret is to be found."""
_SHAPES = re.compile(
    r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's tokens
    r"|\bmfa\.[\w-]{20,}"
    r"|\b(?:sk|pk|rk)[-_][\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\b(?:gsk|hf|xai|ghp|gho|ghu|ghs|ghr|github_pat|glpat|r8|pplx|nvapi|tvly|npm|dop_v1|shpat)[_-][\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"
    r"|\bBSA[\w-]{20,}"
    r"|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\bya29\.[\w-]{20,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/@\s:]*:[^/@\s]+@"
    r"|[?&](?:\w*_)?(?:key|token|secret|password|sig|signature)=[^&\s]{4,}"
    r"|\bBearer\s+[\w.~+/-]{16,}",
    re.ASCII,
)
_RUN = re.compile(r"(?<![\w+/=-])[\w+/=-]{32,}(?![\w+/=-])", re.ASCII)
"""What may be a key of no known shape."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_DIGESTS = (32, 40, 64)
"""Lengths of digests in hex, such as a commit's, which are no secrets."""


def one_line(text: str) -> str:
    """A text as a bullet takes it: in one line, without superfluous blanks or a bullet of its own."""
    words = " ".join(text.split())
    while words[:2] in ("- ", "* ", "+ "):
        words = words[2:]
    return "" if words in ("-", "*", "+") else words


def flaw_of_fact(text: str, scope: Scope) -> str:
    """Why a fact in one line may not be written; empty if it may."""
    if not text:
        return "the text is empty"
    if len(text) > LONGEST_FACT:
        return (
            f"the text has {len(text):,} characters, at most {LONGEST_FACT} make one fact; put more into a topic file"
        )
    return _flaw_of_words(text, scope)


def flaw_of_section(section: str, scope: Scope) -> str:
    """Why a heading may not be written; empty if it may. An empty one stands for the usual one."""
    if len(section) > LONGEST_SECTION:
        return f"the section's heading has {len(section)} characters, at most {LONGEST_SECTION} are allowed"
    if section.startswith("#"):
        return f"the section's heading {section!r} must be words, without #"
    return _flaw_of_words(section, scope)


def flaw_of_title(title: str, scope: Scope) -> str:
    """Why a pointer's title may not be written; empty if it may."""
    if not title or len(title) > LONGEST_TITLE or set(title) & set("[]()"):
        return f"the title {title[:LONGEST_TITLE]!r} must have 1 to {LONGEST_TITLE} characters and none of []()"
    return _flaw_of_words(title, scope)


def flaw_of_topic(name: str) -> str:
    """Why a file can be no topic file; empty if it can."""
    if not _TOPIC.fullmatch(name) or name in _RESERVED:
        return (
            f"topic file {name[:80]!r}: must be a name such as build.md, of a-z, 0-9, _ and -, 64 at most before .md, "
            "and none that programs read by themselves, such as agents.md"
        )
    return ""


def looks_secret(text: str) -> bool:
    """Whether a text has the shape of a secret, or names one with its value."""
    if _SHAPES.search(text):
        return True
    if any(_is_value(match) for match in _NAMED_SECRET.finditer(text)):
        return True
    return any(_is_random(run) for run in _RUN.findall(text))


def _flaw_of_words(text: str, scope: Scope) -> str:
    if _CONTROL.search(text) or _UNSEEN.search(text):
        return "the text has characters that nobody sees, such as control characters; write it without"
    if _COMMENT.search(text):
        return "the text has a mark of a comment (<!-- or -->), which would hide what follows it; write it without"
    if scope is Scope.PROJECT and looks_secret(text):
        return "it looks like a secret, and project memory is read by everybody who reads the repository"
    return ""


def _is_value(match: re.Match[str]) -> bool:
    """Whether what stands behind the name of a secret is its value, and not a sentence about it."""
    value = match["value"].rstrip(".,;")
    if _HARMLESS_VALUES.fullmatch(value):
        return False
    is_word = value.isalpha() and (value.islower() or value.istitle())
    return not is_word if match["sign"].isalpha() or match["more"] else True


def _is_random(run: str) -> bool:
    """Whether a long run of characters is more like a key than like a word, a path or a digest."""
    if _HEX.fullmatch(run):
        return len(run) not in _DIGESTS
    kinds = sum(any(test(each) for each in run) for test in (str.isupper, str.islower, str.isdigit))
    words = [part for part in re.split(r"[/_=+-]", run) if part]
    longest = max((len(part) for part in words), default=0)
    return kinds == 3 and longest >= 16
