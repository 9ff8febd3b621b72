"""Session state: the work in hand as SESSION.md describes it, and the changes by a worker's answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from domain.text.lines import one_line
from domain.text.secret_look import looks_secret
from domain.workspace.answers.answer_json import json_object, quotation, text_of
from domain.workspace.answers.guard import IsSecret, Spoken, flaw_of
from domain.workspace.answers.printed import Printed
from domain.workspace.files.editing import with_items, without_sections
from domain.workspace.files.outline import Section, items, sections
from domain.workspace.files.wording import same_words, title_key, unique
from messages.turn import SpokenTurn

MOST_ITEMS = 12
LONGEST_ITEM = 300
LONGEST_RULE = 1_500
"""Limit for a constraint, always stored whole."""
LONGEST_TITLE = 120
LONGEST_SESSION = 8_000
"""Characters of all sections together, unless people wrote more."""

TITLES = {
    "title": "Session Title",
    "current_state": "Current State",
    "user_intent": "User Intent",
    "active_files": "Active Files",
    "decisions": "Decisions",
    "constraints": "Constraints",
    "errors": "Errors & Corrections",
    "next_steps": "Next Steps",
    "worklog": "Worklog",
}
"""Field -> heading, in the file's order."""
_FIELDS, _HEADINGS = tuple(TITLES), tuple(TITLES.values())
STICKY = ("decisions", "constraints", "errors")
"""Sections whose items stay until a worker names an item as resolved."""
LASTING = ("constraints", "decisions")
"""Sections never shortened for lack of room."""
_EXPENDABLE = ("worklog", "active_files", "errors", "decisions", "current_state", "user_intent", "next_steps")
"""Order of cutting where the whole is too long; constraints are never cut."""
_TELLING_DIGITS = 4
"""Digits from which a number identifies its source."""
_NEWEST_COUNT = ("decisions", "errors", "worklog")
"""Sections whose oldest items go first."""
_PURPOSES = {
    "title": "In a few words, what this conversation is about.",
    "current_state": "Where the work stands now.",
    "user_intent": "What people want to reach.",
    "active_files": "Files and commands that matter at the moment.",
    "decisions": "What was settled, and why.",
    "constraints": "Rules and limits that hold until somebody lifts them.",
    "errors": "What went wrong, and what is done about it.",
    "next_steps": "What is to be done next, the first thing first.",
    "worklog": "A few milestones, only where they help to go on.",
}


def _template() -> bytes:
    """A file without items."""
    return "\n".join(f"# {TITLES[name]}\n<!-- {_PURPOSES[name]} -->\n" for name in TITLES).encode()


SESSION_TEMPLATE = _template()


@dataclass(frozen=True, slots=True)
class SessionState:
    """State of the work, section by section; items are in one line each."""

    title: str = ""
    current_state: tuple[str, ...] = ()
    user_intent: tuple[str, ...] = ()
    active_files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    worklog: tuple[str, ...] = ()

    def items_of(self, name: str) -> tuple[str, ...]:
        """Items of the section of a field; of `title` at most one."""
        if name == "title":
            return (self.title,) if self.title else ()
        texts: tuple[str, ...] = getattr(self, name)
        return texts


def parsed_session(data: bytes) -> SessionState:
    """State by a file of any author; sections of people's own are left out."""
    by_name = _find_items(data)
    lists = {name: tuple(texts) for name, texts in by_name.items() if name != "title"}
    return SessionState(title=by_name["title"][0] if by_name["title"] else "", **lists)


def is_active(state: SessionState) -> bool:
    """True if the state is worth handing over; a title and a log of past work are not."""
    return any(state.items_of(name) for name in TITLES if name not in ("title", "worklog"))


def rendered_session(state: SessionState, before: bytes) -> bytes:
    """The file with a state: bytes of unchanged sections are kept, and so is all text outside of known sections' items.

    Args:
        state: State of any size; new content is capped.
        before: The existing file; empty without a file.
    """
    there = parsed_session(before)
    if before and state == there:
        return before
    data = before or SESSION_TEMPLATE
    capped = _cap_sections(state, there)
    texts = _find_items(data)
    wanted = {
        title: texts[name] if capped.items_of(name) == there.items_of(name) else capped.items_of(name)
        for name, title in TITLES.items()
    }
    wanted |= {TITLES["title"]: [*capped.items_of("title"), *texts["title"][1:]]}  # what else people wrote there stays
    rendered = with_items(data, 1, wanted, prose=True, plain=(TITLES["title"],))
    return rendered if capped.worklog else without_sections(rendered, 1, _is_bare_worklog)


def update_session(
    before: SessionState,
    answer: str,
    spoken: Sequence[SpokenTurn] = (),
    *,
    known: Collection[str] = (),
    is_secret: IsSecret = looks_secret,
    drop: Callable[[str], object] = lambda _reason: None,
) -> SessionState:
    """The state after a worker's answer, with all unresolved sticky items, and all lasting items.

    A flaw costs only the faulty text or field: a faulty text is left out, and a faulty or missing field stays
    unchanged. Kept items with words printed only by a command are left out.

    Args:
        before: State shown to the worker.
        answer: JSON with a field for each section, and `resolved`.
        spoken: Turns shown to the worker.
        known: Decisions and constraints of MEMORY.md; no need to repeat them here.
        is_secret: Test for secrets.
        drop: Called for each flaw with the place and the rule, without any word of the answer.

    Raises:
        ValueError: no part of the answer is usable; the error has the value and the rule.
    """
    fields = json_object(answer, _FIELDS)
    check = _Check(before, Spoken(spoken), is_secret, drop)
    answered = {name: texts for name in TITLES if (texts := check.texts_of(name, fields)) is not None}
    if not answered.keys() - {"title"}:
        raise ValueError(f"answer with {quotation(', '.join(fields))}: must have the fields {', '.join(TITLES)}")
    title = next(iter(answered.pop("title", ())), "")
    answered = {name: answered.get(name, before.items_of(name)) for name in TITLES if name != "title"}
    resolved = {same_words(text) for text in check.texts_of("resolved", fields) or ()}
    there_before = (text for name in TITLES for text in before.items_of(name))
    printed = Printed(spoken, (*known, *there_before), least_digits=_TELLING_DIGITS)
    for name in STICKY:
        there = {*before.items_of(name)}
        answered[name] = tuple(text for text in answered[name] if text in there or not printed.flaw(text))
        answered[name] = _sticky(before.items_of(name), answered[name], resolved, known if name != "errors" else ())
    lists = {
        name: _shorten_items(name, texts, before.items_of(name)) if name in LASTING else _first(name, texts, before)
        for name, texts in answered.items()
    }
    return SessionState(title=title or before.title, **lists)


class _Check:
    """Look at the fields of an answer, text by text."""

    def __init__(
        self, before: SessionState, echoes: Spoken, is_secret: IsSecret, drop: Callable[[str], object]
    ) -> None:
        self._before = before
        self._echoes = echoes
        self._is_secret = is_secret
        self._drop = drop

    def texts_of(self, name: str, fields: Mapping[str, object]) -> tuple[str, ...] | None:
        """Texts of a field fit to write; None for an unusable field."""
        if name not in fields:
            if name != "resolved":
                self._drop(f"{name}: must be a field")
            return None
        raw = fields[name]
        listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
        if any(not isinstance(each, str) for each in listed):
            self._drop(f"{name}: must have texts only")
        if listed and not any(isinstance(each, str) for each in listed):
            return None
        texts = _clean_texts([text_of(each, name) for each in listed if isinstance(each, str)])
        if name == "resolved":
            return texts
        there = {*self._before.items_of(name)}
        sound = [text for text in texts if text in there or not self._is_flawed(name, text)]
        if texts and not sound:
            return None
        if name == "title":
            return tuple(text if text in there else _short(text, LONGEST_TITLE) for text in sound)
        return tuple(sound)

    def _is_flawed(self, name: str, text: str) -> bool:
        flaw = flaw_of(text, self._echoes, self._is_secret)
        if flaw:
            self._drop(f"a text of {name}: {flaw}")
        return bool(flaw)


def overflow_of(before: SessionState, state: SessionState) -> dict[str, tuple[str, ...]]:
    """Field -> lasting items without room in SESSION.md, to be stored in MEMORY.md."""
    capped = _cap_sections(state, before)
    fitting = {name: {*capped.items_of(name)} for name in LASTING}
    return {name: tuple(text for text in state.items_of(name) if text not in fitting[name]) for name in LASTING}


def merge_session(base: bytes, state: SessionState, now: bytes) -> bytes:
    """The file with a state made from the bytes `base`, and with later changes by other writers."""
    before, there = parsed_session(base), parsed_session(now)
    lists = {
        name: _merge_items(before.items_of(name), state.items_of(name), there.items_of(name))
        for name in TITLES
        if name != "title"
    }
    title = state.title if there.title == before.title else there.title
    return rendered_session(SessionState(title=title, **lists), now)


def _find_items(data: bytes) -> dict[str, list[str]]:
    """Field -> the items of the field's section."""
    texts: dict[str, list[str]] = {name: [] for name in TITLES}
    names = {title_key(title): name for name, title in TITLES.items()}
    for part in sections(data, 1, _HEADINGS):
        name = names.get(title_key(part.title)) if part.title else None
        if name is not None:
            texts[name] += [item.text for item in items(part, prose=True)]
    return texts


def _merge_items(before: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Items of a section changed by the runtime from `before` to `ours`, and by other writers to `theirs`."""
    if theirs == before:
        return ours
    was, wanted = {*before}, {*ours}
    left = [text for text in theirs if text in wanted or text not in was]
    return (*left, *unique((text for text in ours if text not in was), left))


def _clean_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(unique(line for text in texts if any(map(str.isalnum, line := one_line(text)))))


def _sticky(
    before: tuple[str, ...], answered: tuple[str, ...], resolved: Collection[str], known: Collection[str]
) -> tuple[str, ...]:
    stay = [text for text in before if same_words(text) not in resolved]
    new = [text for text in answered if same_words(text) not in resolved]
    return (*stay, *unique(new, [*stay, *known]))


def _first(name: str, texts: tuple[str, ...], there: SessionState) -> tuple[str, ...]:
    """As many items as a section may have, new items within the length limit; of settled items the newest.

    Of constraints the first stay, being furthest from the visible conversation. Items go only to make room for a new
    item, not because people wrote more than the limit.
    """
    was = there.items_of(name)
    most = max(MOST_ITEMS, len(was)) if name in STICKY else MOST_ITEMS
    return _shorten_items(name, texts[-most:] if name in _NEWEST_COUNT else texts[:most], was)


def _shorten_items(name: str, texts: Sequence[str], was: Sequence[str]) -> tuple[str, ...]:
    there, most = {*was}, LONGEST_RULE if name == "constraints" else LONGEST_ITEM
    return tuple(text if text in there else _short(text, most) for text in texts)


def _short(text: str, most: int = LONGEST_ITEM) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _cap_sections(state: SessionState, there: SessionState) -> SessionState:
    """A state within all bounds, except constraints and people's overlong content."""
    lists = {
        name: state.items_of(name)
        if state.items_of(name) == there.items_of(name)
        else _first(name, state.items_of(name), there)
        for name in TITLES
        if name != "title"
    }
    title = state.title if state.title == there.title else _short(state.title, LONGEST_TITLE)
    capped = SessionState(title=title, **lists)
    apart = {name: there.items_of(name) for name in STICKY} if _size(there) > LONGEST_SESSION else {}
    left = LONGEST_SESSION + sum(len(text) + 3 for texts in apart.values() for text in texts)
    for name in _EXPENDABLE:
        over = _size(capped) - left
        texts, stay = list(capped.items_of(name)), {*apart.get(name, ())}
        while over > 0 and (places := [place for place, text in enumerate(texts) if text not in stay]):
            gone = texts.pop(places[0 if name in _NEWEST_COUNT else -1])
            over -= len(gone) + 3
        lists[name] = tuple(texts)
        capped = SessionState(title=capped.title, **lists)
    return capped


def _size(state: SessionState) -> int:
    """Characters of the rendered sections."""
    bodies = (sum(len(text) + 3 for text in state.items_of(name)) for name in TITLES)
    return sum(bodies) + sum(len(title) + 4 for title in TITLES.values())


def _is_bare_worklog(part: Section) -> bool:
    """True if the section is an empty Worklog; a Worklog with more than the runtime's own comment is not empty."""
    bare = {f"<!-- {_PURPOSES['worklog']} -->", ""}
    is_worklog = title_key(part.title) == title_key(TITLES["worklog"])
    return is_worklog and all(line.raw.strip() in bare for line in part.lines[1:])
