"""Refusals: reasons against writing a text into curated memory, in words for the requester."""

from __future__ import annotations

import re
from unicodedata import category

from domain.curated.page import Scope, is_bullet
from domain.text.markdown.lines import heading_words
from domain.text.secret_look import looks_secret

LONGEST_FACT = 500
"""Most characters of a fact; longer text belongs in a topic file."""
LONGEST_SECTION = 80
LONGEST_TITLE = 80
_TOPIC = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\.md")
_RESERVED = frozenset(("memory.md", "agents.md", "claude.md", "gemini.md", "readme.md", "skill.md"))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN_CATEGORIES = frozenset(("Cf", "Co", "Cs", "Zl", "Zp"))
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u2800\u3164\uffa0\ufdd0-\ufdef\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
"""Blank letters, variation selectors and unassigned characters, besides characters with a telling category."""
_HALF = re.compile(r"[\ud800-\udfff]")
_COMMENT = re.compile(r"<!--|-->")


def flaw_of_form(text: str, section: str = "") -> str:
    """Reason why no file can hold a fact, or show the fact again unchanged; empty for a valid fact."""
    if any(" ".join(each.split()) != each for each in (text, section)):
        return "the text and its heading must each be on one line"
    if any(_HALF.search(each) for each in (text, section)):
        return "the text or its heading has half of a surrogate pair, which a file cannot hold"
    return "" if text else "the text is empty"


def flaw_of_fact(text: str, scope: Scope) -> str:
    """Reason against writing a fact in one line; empty if allowed."""
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
    """Reason why a heading may not be written; empty if allowed. An empty heading stands for the usual heading."""
    if len(section) > LONGEST_SECTION:
        return f"the section's heading has {len(section)} characters, at most {LONGEST_SECTION} are allowed"
    if section and (section.startswith("#") or heading_words(f"## {section}") != section):
        return f"the section's heading {section!r} must be words, without # at either end"
    return _flaw_of_words(section, scope)


def flaw_of_title(title: str, scope: Scope) -> str:
    """Reason why a pointer's title may not be written; empty if allowed."""
    if not title or len(title) > LONGEST_TITLE or set(title) & set("[]()"):
        return f"the title {title[:LONGEST_TITLE]!r} must have 1 to {LONGEST_TITLE} characters and none of []()"
    return _flaw_of_words(title, scope)


def flaw_of_topic(name: str) -> str:
    """Reason why a file can be no topic file; empty for a topic file."""
    if not _TOPIC.fullmatch(name) or name in _RESERVED:
        return (
            f"topic file {name[:80]!r}: must be a name such as build.md, of a-z, 0-9, _ and -, 64 at most before .md, "
            "and none that programs read by themselves, such as agents.md"
        )
    return ""


def _flaw_of_words(text: str, scope: Scope) -> str:
    if _CONTROL.search(text) or _UNSEEN.search(text) or not _UNSEEN_CATEGORIES.isdisjoint(map(category, text)):
        return "the text has invisible characters, such as control characters: remove them"
    if _COMMENT.search(text):
        return "the text has a comment mark (<!-- or -->), which would hide the text after it: remove the mark"
    if scope is Scope.PROJECT and looks_secret(text):
        return "the text looks like a secret, and all readers of the repository read project memory"
    return ""
