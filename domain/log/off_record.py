"""Off-record turns: a log keeps ids of the messages of a window without memory, and no words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue, meta_dict
from messages.base import EventId, TurnId

OFF_RECORD = "off-record"
"""`what` of the system event in the place of a person's message."""
MESSAGE_KEY = "off_record"
"""Key of the message's id in an event off the record; true in the metadata of the unlogged message's event."""
SAID = "off-record-said"
"""`what` of the system event in the place of the text that ends a turn; has the id of the text's event."""
OVER = "off-record-over"
"""`what` of the system event at the end of a turn: no text is owed any more."""
USED = "off-record-used"
"""`what` of the system event with a turn's usage before the end of the turn."""
OFF_RECORD_KINDS = (OFF_RECORD, SAID, USED, OVER)
_POSTED = "posted"
_STOPPED = "stopped"
_KEPT_COUNTS = ("prompt_tokens", "completion_tokens", "cost_usd", "cached_tokens")


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """Off-record turn without an end in the log: the words of the turn are lost."""

    turn_id: TurnId
    message_id: str
    text_id: str
    """Event of the text to show, by which a shown text is recognised; the turn's id before a text exists."""


def is_off_record(meta_json: str) -> bool:
    """True if an event's metadata keep the event's words out of every log."""
    return meta_dict(meta_json).get(MESSAGE_KEY) is True


def message_number(kind: Kind, meta_json: str) -> str:
    """Number of the person's message in a record, or represented by a record; empty without a number."""
    if kind not in (Kind.USER, Kind.SYSTEM):
        return ""
    number = str(meta_dict(meta_json).get("message_id" if kind is Kind.USER else MESSAGE_KEY, ""))
    return number if number.isdecimal() else ""


def interrupted_turns(events: Iterable[Event]) -> dict[TurnId, InterruptedTurn]:
    """Off-record turns without an end among the events of a log, oldest first."""
    turns: dict[TurnId, InterruptedTurn] = {}
    for each in events:
        if each.kind is not Kind.SYSTEM or OFF_RECORD not in each.meta_json:
            continue
        meta = each.meta_dict()
        turn_id = TurnId(str(meta.get("turn", "")))
        if meta.get("what") == OFF_RECORD and not meta.get("over"):
            turns[TurnId(each.id)] = InterruptedTurn(TurnId(each.id), str(meta.get(MESSAGE_KEY, "")), each.id)
        elif meta.get("what") == SAID and turn_id in turns:
            turns[turn_id] = replace(turns[turn_id], text_id=each.id)
        elif meta.get("what") == OVER:
            turns.pop(turn_id, None)
    return turns


class OffRecord:
    """Off-record turns in hand, and the log's substitutes for their events."""

    def __init__(self) -> None:
        self._events: dict[TurnId, list[Event]] = {}
        """Turn -> events of the turn, in memory alone; no events for a message without need of an answer."""
        self._is_newest = False
        """True if the newest message was said off the record."""
        self.interrupted: tuple[InterruptedTurn, ...] = ()
        """Unfinished turns of an earlier life."""

    def over(self, unfinished: Collection[TurnId], owed: Collection[str]) -> tuple[TurnId, ...]:
        """Turns that are over.

        Args:
            unfinished: Turns of the conversation with work left to do or to show.
            owed: Events with a text still to be shown.
        """
        turns = tuple(self._events)
        return tuple(each for each in turns if each not in unfinished and self._ids(each).isdisjoint(owed))

    def in_hand(self) -> tuple[Event, ...]:
        """Events of all turns in hand, the oldest turn first, without the counts of tokens that the log has."""
        return tuple(map(_without_counts, chain.from_iterable(self._events.values())))

    def _ids(self, turn_id: TurnId) -> set[EventId]:
        return {each.id for each in self._events.get(turn_id, ())}

    def recall(self, events: Collection[Event]) -> None:
        """Find out from a log what an earlier life left, and whether the newest message was said off the record."""
        self.interrupted = tuple(interrupted_turns(events).values())
        for each in events:
            if each.kind is Kind.USER:
                self._is_newest = False
            elif each.kind is Kind.SYSTEM and f'"{MESSAGE_KEY}"' in each.meta_json:
                self._is_newest = True

    def begin_anew(self) -> None:
        """Forget the turns in hand, before the next log begins."""
        self._events.clear()

    def reduce(self, original: Event) -> Event | None:
        """The event that the log gets in the place of `original`: itself on the record, none without need."""
        meta = original.meta_dict()
        if original.kind is Kind.USER:
            self._is_newest = meta.get(MESSAGE_KEY) is True
            return self._reduced_question(original, meta) if self._is_newest else original
        if (events := self._events.get(TurnId(str(meta.get("turn", ""))))) is not None:
            events.append(original)
            return _reduced_text(original, meta)
        if original.kind is Kind.DELIVERY:
            answer = meta.get("event")
            turn_id = next((each for each in self._events if answer in self._ids(each)), None)
            if turn_id is None:
                return original
            self._events[turn_id].append(original)
            return None
        if original.kind is Kind.SYSTEM and isinstance(stops := meta.get("stops"), list):
            return self._reduced_stop(original, meta, stops)
        if (
            original.kind is Kind.SYSTEM
            and meta.get("what") == _POSTED
            and (meta.pop(MESSAGE_KEY, False) or self._is_newest)
        ):
            return event(original.id, original.at, Kind.SYSTEM, "", {**meta, "file": ""})
        return original

    def end(self, turn_id: TurnId) -> dict[str, MetaValue]:
        """Metadata of the event that ends a turn in the log; empty for a message without need of an answer."""
        return {"what": OVER, "turn": turn_id} if self._events.pop(turn_id, []) else {}

    def _reduced_question(self, original: Event, meta: dict[str, MetaValue]) -> Event:
        """Id of a message, with the stopped turns on the record."""
        is_over = bool(meta.get("overheard"))
        self._events[TurnId(original.id)] = [] if is_over else [original]
        stops = self._on_record(meta.get("stops"))
        fields: dict[str, MetaValue] = {"what": OFF_RECORD, MESSAGE_KEY: meta.get("message_id"), "over": is_over}
        fields["open"] = meta.get("open") if is_over else 1
        return event(
            original.id,
            original.at,
            Kind.SYSTEM,
            _STOPPED if stops else "",
            {**fields, **({"stops": stops} if stops else {})},
        )

    def _reduced_stop(self, original: Event, meta: dict[str, MetaValue], stops: list[MetaValue]) -> Event | None:
        on_record = self._on_record(stops)
        if len(on_record) == len(stops):
            return original
        return (
            event(original.id, original.at, Kind.SYSTEM, _STOPPED, {**meta, "stops": on_record}) if on_record else None
        )

    def _on_record(self, stops: MetaValue) -> list[MetaValue]:
        return [each for each in stops if each not in self._events] if isinstance(stops, list) else []


def _without_counts(original: Event) -> Event:
    meta = {key: value for key, value in original.meta_dict().items() if key not in _KEPT_COUNTS}
    return event(original.id, original.at, original.kind, original.content, meta)


def _reduced_text(original: Event, meta: dict[str, MetaValue]) -> Event | None:
    """Sign of a turn's ending, with the usage of the turn; None for another event."""
    counts = {key: meta[key] for key in _KEPT_COUNTS if key in meta}
    ends = meta.get("final") is True or meta.get("what") == "failed"
    if not ends and not counts:
        return None
    what = SAID if ends else USED
    return event(
        original.id, original.at, Kind.SYSTEM, "", {"what": what, "turn": meta.get("turn"), "open": 1, **counts}
    )
