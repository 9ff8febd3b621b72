"""Refusals: why a text may not be written into curated memory, in words for whoever asked."""

from __future__ import annotations

import re

from domain.curated.document import heading_words
from domain.curated.page import Scope, is_bullet

LONGEST_FACT = 500
"""Characters; what is longer belongs into a topic file."""
LONGEST_SECTION = 80
LONGEST_TITLE = 80
_TOPIC = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\.md")
_RESERVED = frozenset(("memory.md", "agents.md", "claude.md", "gemini.md", "readme.md", "skill.md"))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_COMMENT = re.compile(r"<!--|-->")
_NAMES = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?"
    r"|(?:api|access|auth|account|private|secret|encryption|signing)[ _-]?key)"
)
_NAMED_SECRET = re.compile(
    rf"""(?ix)
    (?:(?P<name>{_NAMES})(?P<several>s?)(?:\ (?:for|of|to|on)\ [^:=]{{1,60}}?)?|(?P<weak>(?<![a-z])(?:pass|pin)))
    ["'`]?\ ?(?P<sign>\bis(?:\ now|\ still)?\b|\bare\b|:=|[:=]|->|=>)\ ?
    ["'`]?(?P<value>[^\s"'`]{{4,}})(?P<more>["'`.,;]*\ \S)?
    """
)
_OPTION = re.compile(rf"(?i)(?<!\S)--?(?:[a-z]{{1,20}}-)?{_NAMES} [\"'`]?(?P<value>(?![a-z]+=)[^\s\"'`]{{4,}})")
_WORD = re.compile(r"[A-Z]?[a-z]+(?:[-'\u2019/][A-Za-z]+)*|[A-Z]{2,}")
"""What is a word of a sentence and no value."""
_HARMLESS_VALUE = re.compile(
    r"(?i:\*+|x+|\.{3,}|…+|%\(?\w+\)?s?|<\S*|\[\S*|\$\S*|\{\S*|https?://[^@?]*|none|null|true|false|undefined"
    r"|str(?:ing)?|bytes|bool(?:ean)?|int(?:eger)?|optional|required|empty|missing|invalid|expired|unset|unknown|redacted|ed25519|1password)"
    r"|[a-z]+/[\w./-]+|[~.]{0,2}/[\w./-]+"  # paths, also a secret's in a vault
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"  # a variable's name
    r"|[a-z][a-z_]*(?:\.[A-Za-z_]+)+(?:[(\[]\S*)?|[A-Za-z_.]+[(\[]\S*"  # code, or the name of a file
)
"""Placeholders, types, and where a secret is to be found."""
_SHORTEST_PIN, _LONGEST_PIN = 4, 8
_NUMBER = re.compile(r"[\d.,_:%]+[kKmMsh]?")
_SHAPES = re.compile(
    r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's tokens
    r"|\bmfa\.[\w-]{20,}"
    r"|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]{20,}"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/\w+/\w+/\w+"
    r"|\b(?:xox[abeoprs]|xapp)-[\w-]{10,}"
    r"|\bsk-(?=[\w-]{0,60}\d)[\w-]{16,}"
    r"|\b(?:sk|rk|pk)_(?:live|test)_\w{8,}|\bwhsec_[\w+/]{16,}"
    r"|\b(?:gsk|hf|ghp|gho|ghu|ghs|ghr|r8|npm|dop_v1|doo_v1|shpat|shpss)_[A-Za-z0-9]{20,}"
    r"|\b(?:xai|pplx|tvly)-(?=[\w-]{0,60}\d)[\w-]{20,}"
    r"|\b(?:github_pat_|glpat-|gldt-|glrt-|nvapi-|GOCSPX-|pypi-AgEI|AGE-SECRET-KEY-1)[\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\bya29\.[\w-]{20,}"
    r"|\bBSA(?=[\w-]{0,60}\d)[\w-]{20,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|\b\d{8,10}:AA[\w-]{30,}"  # Telegram's
    r"|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/@\s:]*:(?![$<{*])[^/@\s]+@"
    r"|[?&](?:\w{0,40}_)?(?:key|token|secret|password|sig|signature)=(?=[^&\s]{0,60}\d)[^&\s]{8,}"
    r"|\bBearer\s+(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{16,}"
    r"|\bAuthorization:\s*Basic\s+[\w+/=]{8,}",
    re.ASCII,
)
_PUBLIC = re.compile(r"(?i)\bsha(?:1|224|256|384|512)[-:=][\w+/=]+|\bssh-[a-z0-9]+ AAAA[\w+/=]+", re.ASCII)
"""Digests and public keys, which everybody may know."""
_RUN = re.compile(r"(?<![\w+/=-])[\w+/=-]{32,}(?![\w+/=-])", re.ASCII)
"""What may be a key of no known shape."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_DIGESTS = (32, 40, 56, 64, 96, 128)
"""Lengths of digests in hex, such as a commit's, which are no secrets."""
_SYLLABLES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Words and numbers of an identifier; those of a key are shorter."""
_SHORT_SYLLABLE = 2.7
_RANDOM = 16
"""Characters that a key has at least, where no separator parts it."""


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
    if not is_bullet(f"- {text}"):
        return "the text has no words, and markdown takes it for a ruled line"
    if len(text) > LONGEST_FACT:
        return (
            f"the text has {len(text):,} characters, at most {LONGEST_FACT} make one fact; put more into a topic file"
        )
    return _flaw_of_words(text, scope)


def flaw_of_section(section: str, scope: Scope) -> str:
    """Why a heading may not be written; empty if it may. An empty one stands for the usual one."""
    if len(section) > LONGEST_SECTION:
        return f"the section's heading has {len(section)} characters, at most {LONGEST_SECTION} are allowed"
    if section and (section.startswith("#") or heading_words(f"## {section}") != section):
        return f"the section's heading {section!r} must be words, without # at either end"
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
    return any(_has_secret(" ".join(line.split())) for line in dict.fromkeys((text, *text.splitlines())))


def _has_secret(line: str) -> bool:
    if _SHAPES.search(line):
        return True
    if any(_is_value(match) for match in _NAMED_SECRET.finditer(line)):
        return True
    if any(not _is_harmless(match["value"]) and not _is_word(match["value"]) for match in _OPTION.finditer(line)):
        return True
    return any(_is_random(run) for run in _RUN.findall(_PUBLIC.sub("", line)))


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
    value = match["value"]
    if _is_harmless(value):
        return False
    if match["weak"]:
        return _is_weak_value(match["weak"].lower(), value.rstrip(".,;"), is_end=not match["more"])
    name = match["name"].lower()
    if _NUMBER.fullmatch(value.rstrip(".,;:!?)")):
        return name.startswith(("pass", "pwd")) or not (match["several"] or name == "token")
    is_sentence = match["sign"][0].isalpha() or match["several"] or match["more"]
    return not (is_sentence and _is_word(value))


def _is_weak_value(name: str, value: str, *, is_end: bool) -> bool:
    """The same behind a name that more often means something else: a PIN has digits, a password a few of them."""
    if name == "pin":
        return value.isdecimal() and _SHORTEST_PIN <= len(value) <= _LONGEST_PIN
    return is_end and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_harmless(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    return _HARMLESS_VALUE.fullmatch(bare) is not None


def _is_word(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    return _WORD.fullmatch(bare) is not None or _NUMBER.fullmatch(bare) is not None


def _is_random(run: str) -> bool:
    """Whether a long run of characters is more like a key than like a word, a path or a digest."""
    if _HEX.fullmatch(run):
        return len(run) not in _DIGESTS
    return any(_is_random_part(part) for part in re.split(r"[/_=+-]", run) if len(part) >= _RANDOM)


def _is_random_part(part: str) -> bool:
    syllables = _SYLLABLES.findall(part)
    has_all = all(any(map(test, part)) for test in (str.isupper, str.islower, str.isdigit))
    return has_all and len(part) / len(syllables) < _SHORT_SYLLABLE
