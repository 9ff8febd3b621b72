"""Forgetting in a window: the events named by a request, and the logs without these events."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from actors.context.endings import Endings
from actors.context.host import WindowHost
from actors.context.log.forgotten import is_forgotten
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.log.outputs import list_outputs
from actors.context.retraction import Retraction
from actors.context.turn_driver import TurnDriver
from actors.context.user_event import user_meta
from domain.log.event import Event, Kind
from domain.log.forgotten import FORGOT
from domain.log.metadata import MetaValue, meta_dict
from domain.policy.audience import Audience
from domain.policy.channel_rules import ChannelRules
from domain.turn.forgetting.fold import message_id_of
from domain.turn.forgetting.scope import PEOPLES, Chosen, WindowEvents, list_forgettable
from domain.turn.forgetting.texts import person_texts
from messages.base import EventId, Message, MessageId, Surface, TurnId, Window
from messages.context import UserMessage
from messages.forget import (
    WINDOW_FILES,
    DerivedForgotten,
    EndShown,
    EventsForgotten,
    ForgetDerived,
    ForgetEvents,
    ForgettableListed,
    ForgottenEvent,
    ListForgettable,
    Scope,
    ScopeKind,
)
from messages.socket import Refused

REASON = "words of this conversation were forgotten"
"""Reason why a turn in hand ends."""

ASK_AGAIN = "Some of what I had found for this answer was forgotten meanwhile. Please ask again."
"""Notice to a person whose answer would be based on forgotten words."""

BUSY = "a message is being answered there"
"""Reason why expired words wait."""

FILES_S = 60.0
"""Longest wait for the removal of files, and the pause before the next attempt."""

AUDIENCE = '"audience":'
"""Part of the metadata of an event with its readers."""


class Forgetting:
    """Handler of a window's forget requests; requests are rare, so each reads the window's logs anew."""

    def __init__(
        self,
        host: WindowHost,
        journal: Journal,
        driver: TurnDriver,
        endings: Endings,
        retraction: Retraction,
        rules: ChannelRules,
    ) -> None:
        """Begin without a request.

        Args:
            host: The actor of the window.
            journal: Logs of the window.
            driver: Runs a turn, which ends: the turn's request may show forgotten words.
            endings: Writes the ends of waiting turns whose question is forgotten.
            retraction: Holds new words of edited messages.
            rules: Say for how long words are kept where.
        """
        self._rules = rules
        self._host = host
        self._journal = journal
        self._driver, self._endings, self._retraction = driver, endings, retraction
        self._words: dict[str, dict[str, None]] = {}
        """Forget id -> people's words among the events, until all are taken out: an attempt may fail halfway."""

    def list_events(self, request: ListForgettable) -> None:
        """Answer with the events of a scope.

        Raises:
            LogUnwritable: as the journal.
        """
        if request.scope.kind is ScopeKind.EXPIRED and self._driver.run is not None:
            # Forgetting ends the turn in hand, and no person asked for that.
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=BUSY))
            return
        scope = self._date_scope(request.scope)
        outputs = partial(list_outputs, self._journal.root, self._host.window)
        try:
            with self._host.blocking():
                events, withheld = list_forgettable(self._journal.past_logs(), scope, outputs)
        except LogUnwritable:
            raise
        except OSError as error:
            reason = f"a kept output cannot be searched: {error.strerror}"
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        self._host.tell(
            request.reply_to,
            ForgettableListed(request_id=request.request_id, events=tuple(events), withheld=withheld),
        )

    def _date_scope(self, scope: Scope) -> Scope:
        """The scope with a date: an undated scope of expired words takes the date from the channel's settings."""
        if scope.kind is not ScopeKind.EXPIRED or scope.before is not None:
            return scope
        kept_for = self._rules.of(self._list_places()).kept_for
        return scope if kept_for is None else replace(scope, before=self._host.now() - kept_for)

    def _list_places(self) -> tuple[str, ...]:
        """Ids of the window, its channel, and further places with tables at the time of the newest message.

        A table made later counts as well: the newest message names the channel of a thread.

        Raises:
            LogUnwritable: as the journal.
        """
        own, (channel, tables) = self._host.window.id, self._newest_place()
        return (own, channel, *(table for table in tables if table not in (own, channel)))

    def _newest_place(self) -> tuple[str, tuple[str, ...]]:
        """Channel and tables of the newest message in any log; empty if unknown. Imported messages have no tables."""
        conversation = self._host.conversation
        if turns := conversation.turns:
            return _channel_of(
                next((turn.audience for turn in reversed(turns) if turn.audience), "")
            ), conversation.tables
        with self._host.blocking():
            for log in self._journal.newest_first():
                metas = [meta_dict(each.meta_json) for each in log if AUDIENCE in each.meta_json]
                for meta in reversed(metas):
                    if channel := _channel_of(str(meta.get("audience"))):
                        tables = meta.get("tables")
                        return channel, tuple(map(str, tables if isinstance(tables, list) else ()))
        return "", ()

    def is_forgotten(self, message: UserMessage) -> bool:
        """True for a thread's opening message if it was forgotten in the channel: Discord still has the message.

        Raises:
            LogUnwritable: a log of the channel cannot be read.
        """
        window = self._host.window
        if window.surface is not Surface.DISCORD_THREAD or message.message_id != window.id:
            return False
        channel = _channel_of(message.audience)
        if not self._is_gone(Window(surface=Surface.DISCORD_CHANNEL, id=channel), message.message_id):
            return False
        if message.attachments:
            self._drop_files(message.message_id)
        return True

    def _drop_files(self, message_id: MessageId) -> None:
        """Have the files removed that the surface has kept again with a forgotten message."""
        window = self._host.window
        gone = ForgottenEvent(window=window, path="", line=0, event_id=EventId(""), message_id=message_id)
        make = partial(ForgetDerived, forget_id=message_id, window=window, events=(gone,))

        def take(answer: Message | None) -> None:
            if not isinstance(answer, DerivedForgotten):
                self._host.wait(FILES_S, lambda: self._drop_files(message_id))

        self._host.ask(WINDOW_FILES, make, FILES_S, take)

    def meta_of(self, message: UserMessage) -> dict[str, MetaValue]:
        """Metadata of a message's event; without a quotation of forgotten words, which Discord has still.

        Raises:
            LogUnwritable: a log cannot be read.
        """
        quote = message.quote
        if quote is not None and self._is_gone(self._host.window, quote.message_id):
            return user_meta(replace(message, quote=None), shows_quote=False)
        return user_meta(message, shows_quote=quote is not None and self._host.conversation.shows(quote.message_id))

    def _is_gone(self, window: Window, message_id: str) -> bool:
        with self._host.blocking():
            return is_forgotten(self._journal.root, window, message_id)

    def handle(self, command: ListForgettable | ForgetEvents | EndShown, waiting: list[TurnId]) -> list[TurnId]:
        """List or forget events, and return the still waiting turns of `waiting`; no turn may begin meanwhile.

        Raises:
            LogUnwritable: as the journal.
        """
        if isinstance(command, EndShown):
            self._end_shown(command.turn_id)
            return waiting
        if isinstance(command, ListForgettable):
            self.list_events(command)
            return waiting
        if chosen := self.choose(command):
            self._end_turns(chosen, waiting)
            chosen = self.choose(command)
        self.take_out(command, chosen)
        return [turn_id for turn_id in waiting if EventId(turn_id) not in chosen.whole]

    def _end_turns(self, chosen: Chosen, waiting: list[TurnId]) -> None:
        self._endings.drop_words(chosen.whole)
        self._retraction.forget(chosen.message_ids)
        if (run := self._driver.run) is not None:
            run.logged = [each for each in run.logged if each.id not in chosen.whole]
            self._driver.abort(REASON, leaves_words=False)
        self._driver.compaction.forget()
        self._endings.leave_unanswered([each for each in waiting if EventId(each) in chosen.whole], REASON)

    def _end_shown(self, turn_id: TurnId) -> None:
        """End the given turn, if running, with a notice to the waiting person.

        Raises:
            LogUnwritable: as the journal.
        """
        run = self._driver.run
        if run is None or run.turn_id != turn_id:
            return
        meta: dict[str, MetaValue] = {"turn": turn_id, "what": "shown", "notice": True}
        run.logged.append(self._host.record(Kind.SYSTEM, ASK_AGAIN, meta, sync=False))
        run.notices.append(run.logged[-1].id)
        self._driver.abort(REASON, leaves_words=False)

    def choose(self, command: ForgetEvents) -> Chosen:
        """Events to forget that still hold words.

        Raises:
            LogUnwritable: as the journal.
        """
        with self._host.blocking():
            events = WindowEvents(self._journal.past_logs())
        return events.choose(events.entries if command.whole_window else command.event_ids)

    def take_out(self, command: ForgetEvents, chosen: Chosen) -> None:
        """Take the events out of the logs, record the request once, and report every event that it removed.

        Raises:
            LogUnwritable: as the journal.
        """
        files, texts = self._files_of(chosen)
        words = self._words.setdefault(command.forget_id, {})
        words.update(dict.fromkeys(texts))
        with self._host.blocking():
            self._journal.forget(chosen, command.forget_id)
        forgotten = self._list_forgotten(command, chosen, files)
        # A window of which only the past is known has no log for the note; the record of the request stands elsewhere.
        if forgotten and self._journal.is_open and not self._is_noted(command.forget_id):
            meta: dict[str, MetaValue] = {
                "what": FORGOT,
                "forget_id": command.forget_id,
                "by": command.by,
                "why": command.why,
                "count": len(forgotten),
                "open": self._host.conversation.open_count,
            }
            self._host.record(Kind.SYSTEM, "forgotten", meta, sync=True)
        report = EventsForgotten(
            request_id=command.request_id,
            forget_id=command.forget_id,
            window=command.window,
            events=tuple(forgotten),
            texts=tuple(words),
        )
        del self._words[command.forget_id]
        self._host.tell(command.reply_to, report)

    def _files_of(self, chosen: Chosen) -> tuple[dict[EventId, tuple[str, ...]], tuple[str, ...]]:
        """Paths of the files of events to be forgotten, and the words of people among these events."""
        with self._host.blocking():
            entries = self._journal.past(chosen.whole)
            events = [logged.event for _, logged in entries if logged.event.id in chosen.whole]
        texts = (text for event in events if event.kind in PEOPLES for text in person_texts(event))
        return {event.id: _files(event) for event in events}, tuple(texts)

    def _list_forgotten(
        self, command: ForgetEvents, chosen: Chosen, files: dict[EventId, tuple[str, ...]]
    ) -> list[ForgottenEvent]:
        """Every event removed by this request, now or before a kill."""
        named = chosen.whole | set(command.event_ids)
        forgotten = list[ForgottenEvent]()
        with self._host.blocking():
            for path, log in self._journal.past_logs():
                for each in log.forgotten:
                    meta = meta_dict(each.meta_json)
                    if meta.get(FORGOT) != command.forget_id and each.id not in named:
                        continue
                    turn_id = each.id if each.kind is Kind.USER else str(meta.get("turn", ""))
                    output = str(meta.get("full_output", ""))
                    forgotten.append(
                        ForgottenEvent(
                            window=command.window,
                            path=path,
                            line=each.line,
                            event_id=each.id,
                            message_id=MessageId(message_id_of(each)),
                            turn_id=TurnId(turn_id),
                            files=files.get(each.id, ()),
                            outputs=(output,) if output else (),
                        )
                    )
        return forgotten

    def _is_noted(self, forget_id: str) -> bool:
        """True if a log of the window has the note of this request."""
        with self._host.blocking():
            return any(_is_note(logged.event, forget_id) for _, logged in self._journal.past((forget_id,)))


def _channel_of(label: str) -> str:
    """Channel in the label of a window's readers; empty if unknown."""
    with suppress(ValueError):
        place = Audience.parse(label)
        return "" if place is None else place.channel_id
    return ""


def _is_note(event: Event, forget_id: str) -> bool:
    if event.kind is not Kind.SYSTEM:
        return False
    meta = event.meta_dict()
    return meta.get("what") == FORGOT and meta.get("forget_id") == forget_id


def _files(event: Event) -> tuple[str, ...]:
    attachments = event.meta_dict().get("attachments")
    files = attachments if isinstance(attachments, list) else []
    named = (str(file.get(key) or "") for file in files if isinstance(file, dict) for key in ("path", "text"))
    return tuple(filter(None, named))
