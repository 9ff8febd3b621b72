"""Scope of a forget request in one window's logs: the named events, and all dependent events."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.metadata import meta_dict
from domain.log.parser import ParsedEvent, ParsedLog
from domain.log.redaction import OWED
from domain.log.window import times_of_messages
from domain.log.window_folders import output_prefix
from domain.policy.forgetting.repeatable import first_repetition
from domain.turn.forgetting.fold import message_id_of
from domain.turn.forgetting.repetition import RepeatedTexts
from domain.turn.forgetting.texts import holds_words, person_texts, texts_in
from domain.turn.posting import POSTED
from messages.base import EventId, MessageId, TurnId, UserId
from messages.forget import ForgettableEvent, Scope, ScopeKind

QUOTATION = ":quotation"
"""Behind an event's id: only the event's quotation is meant."""
PEOPLES = (Kind.USER, Kind.PIN)
_ANSWERS = (Kind.AGENT, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.SYSTEM)
"""Kinds of events caused by a question."""
_LEAST_NAME_CHARS = 2

ListOutputs = Callable[[Iterable[str]], Collection[str]]
"""Gives the names of kept outputs of the window that repeat any of some texts."""


class Chosen(NamedTuple):
    """Events to forget, with all dependent events."""

    whole: frozenset[EventId]
    quotations: frozenset[EventId]
    """Events of which only the quotation is forgotten."""
    message_ids: frozenset[str]
    """Messages of the events, and messages that show the events."""

    def __bool__(self) -> bool:
        """True if anything is left to forget."""
        return bool(self.whole or self.quotations)


class _Entry(NamedTuple):
    path: str
    line: int
    event: Event
    meta: dict[str, Any]

    @property
    def author_id(self) -> str:
        return str(self.meta.get("author_id", ""))

    @property
    def turn_id(self) -> str:
        return self.event.id if self.event.kind is Kind.USER else str(self.meta.get("turn", ""))

    @property
    def quotation(self) -> dict[str, Any]:
        quote = self.meta.get("quote")
        return quote if isinstance(quote, dict) else {}

    @property
    def quoted_text(self) -> str:
        return "\n".join(texts_in(self.quotation))

    @property
    def text(self) -> str:
        """All possible words in the event, without its quotation."""
        others = {key: value for key, value in self.meta.items() if key != "quote"}
        return "\n".join((self.event.content, *texts_in(others)))


class WindowEvents:
    """Events of one window's logs, indexed by their connections."""

    def __init__(self, logs: Iterable[tuple[str, ParsedLog]]) -> None:
        """Take in the logs, the oldest first, each with its path below the data root."""
        self.entries: dict[EventId, _Entry] = {}
        """Events with words or a quotation."""
        self.people = set[str]()
        """Accounts with words of their own."""
        self._kinds: dict[EventId, Kind] = {}
        self._turns: dict[EventId, str] = {}
        self._messages = defaultdict[EventId, set[str]](set)
        self._of_turn = defaultdict[str, list[EventId]](list)
        self._hosts: dict[str, str] = {}
        """Event of a message that joined a running turn -> the turn."""
        for path, log in logs:
            for gone in log.forgotten:
                self._add_forgotten(gone)
            for logged in log.events:
                self._add(path, logged)

    def _add_forgotten(self, gone: Forgotten) -> None:
        if gone.is_quote:
            return
        meta = meta_dict(gone.meta_json)
        turn = str(meta.get("turn", ""))
        self._kinds[gone.id], self._turns[gone.id] = gone.kind, turn
        self._of_turn[turn].append(gone.id)
        self._messages[gone.id].update(_shown_in(meta))
        if message_id := message_id_of(gone):
            self._messages[gone.id].add(message_id)

    def _add(self, path: str, logged: ParsedEvent) -> None:
        event, meta = logged.event, logged.event.meta_dict()
        self._kinds[event.id], self._turns[event.id] = event.kind, str(meta.get("turn", ""))
        if event.kind is Kind.SYSTEM and meta.get("what") == "joined":
            self._hosts[str(meta.get("message", ""))] = str(meta.get("turn", ""))
        elif event.kind is Kind.DELIVERY:
            self._messages[EventId(str(meta.get("event", "")))].update(_shown_in(meta))
        elif event.kind is Kind.SYSTEM and meta.get("what") == POSTED:
            self._messages[event.id].update(_shown_in(meta))
        if not holds_words(event, meta):
            return
        entry = self.entries[event.id] = _Entry(path, logged.line, event, meta)
        self.people.update((entry.author_id,) if event.kind in PEOPLES else ())
        self._of_turn[str(meta.get("turn", ""))].append(event.id)
        if message_id := str(meta.get("message_id" if event.kind is Kind.USER else "source", "")):
            self._messages[event.id].add(message_id)

    def choose(self, named: Iterable[EventId]) -> Chosen:
        """Events of the given ids with words left, and all dependent events.

        With a message go its revisions, its quotations, its pins and, if the message opened a turn, the turn's whole
        content; with an answer, call or result of a turn go all answers, calls and results of the turn.
        """
        ids, quoting = set[EventId](), set[EventId]()
        messages = frozenset[str]()
        todo = list(named)
        while todo:
            each = todo.pop()
            if each.endswith(QUOTATION):
                quoting.add(EventId(each.removesuffix(QUOTATION)))
            elif each in self._kinds and each not in ids:
                ids.add(each)
                todo += self._answers_with(each)
            if not todo:
                messages = frozenset[str]().union(*(self._messages.get(each, ()) for each in ids))
                todo += [each for each in self._with_messages(messages, ids) if each not in ids]
        quoting |= {each.event.id for each in self._quoting(messages) if each.event.id not in ids}
        return Chosen(
            frozenset(ids & self.entries.keys()),
            frozenset(each for each in quoting - ids if each in self.entries and self.entries[each].quotation),
            messages,
        )

    def author_of_turn(self, entry: _Entry) -> str:
        """Account whose message opened the turn of an event; empty if unknown."""
        question = self.entries.get(EventId(entry.turn_id))
        return question.author_id if question is not None else ""

    def questions_of(self, entries: Iterable[_Entry]) -> list[EventId]:
        """Messages that opened the turns of answers."""
        turns = (EventId(each.turn_id) for each in entries if each.event.kind in _ANSWERS)
        return [turn for turn in turns if turn in self.entries]

    def list_pinned(self) -> set[EventId]:
        """Pinned events: pins of other events, of a message, and pins with words of their own."""
        pins = [each for each in self.entries.values() if each.event.kind is Kind.PIN]
        state = {EventId(str(each.meta.get("event") or each.event.id)): each.meta.get("action") for each in pins}
        pinned = {event_id for event_id, action in state.items() if action != "unpin"}
        messages = frozenset[str]().union(*(self._messages.get(each, ()) for each in pinned))
        return pinned | {each for each in self.entries if not messages.isdisjoint(self._messages.get(each, ()))}

    def turns_of(self, event_id: EventId) -> tuple[str, ...]:
        """Turns of an event: two turns for a message that joined a turn."""
        entry = self.entries.get(event_id)
        return (entry.turn_id if entry is not None else "", self._hosts.get(event_id, ""))

    def messages_of(self, entry: _Entry) -> frozenset[str]:
        """Messages of an event, and messages that show the event."""
        return frozenset(self._messages.get(entry.event.id, ()))

    def time_of(self, entry: _Entry) -> datetime:
        """Time of an event, no earlier than Discord dates its question and messages: our clock may have been behind."""
        question = self.entries.get(EventId(entry.turn_id), entry)
        return max(entry.event.at, question.event.at, *times_of_messages(self.messages_of(entry)))

    def list_shown_in(self, outputs: Collection[str]) -> set[EventId]:
        """Answers, calls and results of the turns whose commands left any of the given kept outputs."""
        if not outputs:
            return set()
        answers = [each for each in self.entries.values() if each.event.kind in _ANSWERS and each.turn_id]
        turns = {each.turn_id for each in answers}
        showing = {turn for turn in turns if any(name.startswith(output_prefix(TurnId(turn))) for name in outputs)}
        return {each.event.id for each in answers if each.turn_id in showing}

    def _answers_with(self, event_id: EventId) -> Iterator[EventId]:
        if self._kinds[event_id] is Kind.USER:
            yield from self._of_turn.get(event_id, ())
            turn = self._hosts.get(event_id, "")
        else:
            turn = self._turns.get(event_id, "") if self._kinds[event_id] in _ANSWERS else ""
        if turn:
            yield from (each for each in self._of_turn.get(turn, ()) if self._kinds[each] in _ANSWERS)

    def _with_messages(self, messages: frozenset[str], ids: Collection[str]) -> Iterator[EventId]:
        for event_id, entry in self.entries.items():
            is_owed = entry.meta.get("what") == OWED
            if (is_owed and (entry.meta.get("event") in ids or entry.meta.get("answers") in messages)) or (
                entry.event.kind in PEOPLES and not messages.isdisjoint(self._messages.get(event_id, ()))
            ):
                yield event_id

    def _quoting(self, messages: Collection[str]) -> Iterator[_Entry]:
        return (each for each in self.entries.values() if each.quotation.get("message_id") in messages)


def list_forgettable(
    logs: Iterable[tuple[str, ParsedLog]], scope: Scope, outputs: ListOutputs = lambda _texts: ()
) -> tuple[list[ForgettableEvent], int]:
    """Events in a scope, with all dependent events, the oldest first; and the number kept by `only_by`.

    Args:
        logs: Logs of the window, the oldest first, each with its path below the data root.
        scope: Scope with the topic's places and the repeated texts filled in.
        outputs: Searches the kept outputs of the window, of which the logs have only the ends.
    """
    events = WindowEvents(logs)
    named, withheld = _split_allowed(events, scope, _find_named(events, scope, outputs))
    chosen = events.choose(named)
    if scope.kind in (ScopeKind.MESSAGE, ScopeKind.PERSON, ScopeKind.TOPIC):
        messages = (each for each in map(events.entries.__getitem__, chosen.whole) if each.event.kind in PEOPLES)
        since = first_repetition(each.event.at for each in messages)
        repeated = msgspec.structs.replace(scope, kind=ScopeKind.REPEATED, since=since)
        again = _repeating(events, _texts_of(events, chosen.whole), chosen.whole, outputs)
        others, foreign = _split_allowed(events, repeated, again)
        withheld |= foreign
        chosen = events.choose((*named, *others))
    listed = [_listing(events, each, is_quote=False) for each in chosen.whole]
    listed += [_listing(events, each, is_quote=True) for each in chosen.quotations]
    order = {event_id: place for place, event_id in enumerate(events.entries)}
    listed.sort(key=lambda each: order[EventId(each.event_id.removesuffix(QUOTATION))])
    return listed, len(withheld - chosen.whole - {each + QUOTATION for each in chosen.quotations})


def _find_named(events: WindowEvents, scope: Scope, outputs: ListOutputs) -> list[EventId]:
    ids = list[EventId]()
    match scope.kind:
        case ScopeKind.MESSAGE:
            ids = [each.event.id for each in events.entries.values() if scope.message_id in events.messages_of(each)]
            ids += _quoting(
                each for each in events.entries.values() if each.quotation.get("message_id") == scope.message_id
            )
        case ScopeKind.PERSON:
            ids = list(_of_person(events, scope))
        case ScopeKind.TOPIC:
            places = {(place.path, place.line) for place in scope.places}
            hits = [each for each in events.entries.values() if (each.path, each.line) in places]
            ids = [each.event.id for each in hits] + events.questions_of(hits)
        case ScopeKind.WINDOW:
            ids = list(events.entries)
        case ScopeKind.EXPIRED:
            ids = list(_list_expired(events, scope.before))
        case ScopeKind.REPEATED:
            ids = list(_repeating(events, scope.texts, (), outputs))
    return ids


def _list_expired(events: WindowEvents, before: datetime | None) -> Iterator[EventId]:
    """Events older than `before`, if given, except pins and all of the turns of pinned events."""
    if before is None:
        return
    pinned = events.list_pinned()
    pinned_turns = {turn_id for each in pinned for turn_id in events.turns_of(each) if turn_id}
    for each in events.entries.values():
        is_pin = each.event.kind is Kind.PIN and str(each.meta.get("event") or each.event.id) in pinned
        if events.time_of(each) < before and not is_pin and pinned_turns.isdisjoint(events.turns_of(each.event.id)):
            yield each.event.id


def _split_allowed(events: WindowEvents, scope: Scope, ids: Iterable[EventId]) -> tuple[list[EventId], set[EventId]]:
    """Ids that `only_by` allows, and all other ids; a quotation belongs to the author of the quoted words."""
    ids = list(dict.fromkeys(ids))
    if not scope.only_by:
        return ids, set()
    foreign = {each for each in ids if not _is_allowed(events, scope, each)}
    return [each for each in ids if each not in foreign], foreign


def _is_allowed(events: WindowEvents, scope: Scope, event_id: EventId) -> bool:
    entry = events.entries[EventId(event_id.removesuffix(QUOTATION))]
    if not event_id.endswith(QUOTATION):
        return _is_own(events, scope, entry)
    author_id = str(entry.quotation.get("author_id", ""))
    if author_id == scope.only_by or author_id in events.people:
        return author_id == scope.only_by
    return scope.kind is ScopeKind.REPEATED or _is_mentioned(scope, entry.quoted_text)


def _is_own(events: WindowEvents, scope: Scope, entry: _Entry) -> bool:
    if entry.event.kind in PEOPLES:
        return entry.author_id == scope.only_by
    if events.author_of_turn(entry) == scope.only_by:
        return True
    if scope.kind is ScopeKind.REPEATED:
        return scope.since is None or events.time_of(entry) >= scope.since
    return _is_mentioned(scope, entry.text)


def _is_mentioned(scope: Scope, text: str) -> bool:
    """True if a text mentions the account that asks for all of its own.

    A name alone proves nothing: any member may take any word for a name.
    """
    return scope.kind is ScopeKind.PERSON and _mention_of(scope.only_by).search(text) is not None


def _of_person(events: WindowEvents, scope: Scope) -> Iterator[EventId]:
    """All events by a person, and all events that name or quote the person."""
    own = [each for each in events.entries.values() if scope.person_id and each.author_id == scope.person_id]
    names = {scope.person_name, *(str(each.meta.get("author", "")) for each in own)}
    words = [_mention_of(scope.person_id).pattern] if scope.person_id else []
    words += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in names if len(name) >= _LEAST_NAME_CHARS]
    naming = re.compile("|".join(words) or "(?!)", re.IGNORECASE)
    for each in events.entries.values():
        quotation = each.quotation
        if each.author_id == scope.person_id != "" or naming.search(each.text):
            yield each.event.id
        elif quotation and (quotation.get("author_id") == scope.person_id != "" or naming.search(each.quoted_text)):
            yield EventId(each.event.id + QUOTATION)


def _mention_of(account: str) -> re.Pattern[str]:
    return re.compile(rf"<@!?{re.escape(account)}>")


def _texts_of(events: WindowEvents, whole: Collection[EventId]) -> list[str]:
    """Words of people among forgotten events, as typed, as spoken, and with the texts of files."""
    gone = (events.entries[event_id].event for event_id in whole)
    return [text for event in gone if event.kind in PEOPLES for text in person_texts(event)]


def _repeating(
    events: WindowEvents, texts: Sequence[str], but: Collection[EventId], outputs: ListOutputs
) -> Iterator[EventId]:
    """Events that repeat a given text verbatim, also in the whole output of a command, without the events in `but`."""
    repeated, from_outputs = RepeatedTexts(texts), events.list_shown_in(outputs(texts))
    for each in events.entries.values():
        if each.event.id in but:
            continue
        if each.event.id in from_outputs or repeated.are_in(each.text):
            yield each.event.id
        elif each.quotation and repeated.are_in(each.quoted_text):
            yield EventId(each.event.id + QUOTATION)


def _quoting(entries: Iterable[_Entry]) -> list[EventId]:
    return [EventId(each.event.id + QUOTATION) for each in entries]


def _listing(events: WindowEvents, event_id: EventId, *, is_quote: bool) -> ForgettableEvent:
    entry = events.entries[event_id]
    of_person = entry.event.kind in PEOPLES
    quoted = entry.quotation
    messages: Sequence[str] = sorted(events.messages_of(entry))
    typed_chars = entry.meta.get("typed")
    return ForgettableEvent(
        event_id=EventId(event_id + QUOTATION) if is_quote else event_id,
        path=entry.path,
        line=entry.line,
        at=entry.event.at,
        message_id=MessageId(str(quoted.get("message_id", "")) if is_quote else (messages[0] if messages else "")),
        turn_id=TurnId(entry.turn_id),
        author_id=UserId(str(quoted.get("author_id", "")) if is_quote else (entry.author_id if of_person else "")),
        author_name=str(quoted.get("author", "")) if is_quote else str(entry.meta.get("author", "")),
        text=str(quoted.get("text", "")) if is_quote else entry.event.content,
        typed=entry.event.content[:typed_chars] if isinstance(typed_chars, int) and not is_quote else "",
    )


def _shown_in(meta: Mapping[str, Any]) -> Iterator[str]:
    """Messages in which the agent or the runtime showed words, by an event's metadata."""
    message_ids = meta.get("message_ids")
    yield from map(str, message_ids if isinstance(message_ids, list) else ())
