"""Answers about objects from the store or the log: histories, texts of any version, differences."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from actors.kernel import Host
from actors.objects.answers import LOCKED, RefusalError
from actors.objects.record import Record
from actors.objects.store_client import Answer, StoreClient
from domain.objects.diff import unified_diff
from domain.objects.lines import shown_path
from domain.objects.state import SHOWN_CHARS, WindowObjects
from domain.objects.versions import number_of
from messages.base import Window
from messages.objects import (
    DiffObject,
    FetchText,
    FileVersion,
    HistoryTold,
    ListOutputs,
    ListVersions,
    ObjectShown,
    OutputRow,
    OutputsListed,
    ShowObject,
    TellHistory,
    TextFetched,
    VersionShown,
    VersionsListed,
)
from messages.socket import Refused

MOST = 100
"""Most versions of an answer."""
NO_TEXT = "its text is no longer kept, only its number, time and hashes are"
_NOT_ANSWERED = "the object store did not answer in time"
Fetched = Callable[[TextFetched], None]


class TellingHost(Host, Protocol):
    """Actor of a window behind a `Telling`."""

    @property
    def window(self) -> Window:
        """Window of the actor."""


class Telling:
    """Answers questions about a window's objects after asking the store."""

    def __init__(self, host: TellingHost, store: StoreClient, record: Record, deadline_s: float) -> None:
        """Begin without questions.

        Args:
            host: Actor of the window.
            store: Client of the store, for versions.
            record: Reader of the logs, for outputs and the chat.
            deadline_s: Longest wait for the store.
        """
        self._host = host
        self._store = store
        self._record = record
        self._deadline_s = deadline_s

    def begin(self, objects: WindowObjects, request: TellHistory | ShowObject | DiffObject) -> None:
        """Answer at once, or after the store's answer."""
        try:
            match request:
                case ShowObject(id="chat"):
                    self._show_chat(objects, request)
                case ShowObject() if request.id.startswith("t"):
                    self._show_output(objects, request)
                case ShowObject():
                    self._show_file(request)
                case TellHistory():
                    self._tell_history(request)
                case DiffObject():
                    self._diff(request)
        except RefusalError as error:
            self._refuse(request, str(error))

    # one object

    def _show_chat(self, objects: WindowObjects, request: ShowObject) -> None:
        names = {event: lines[0] for event, lines in objects.said.items() if event in objects.outputs}
        with self._host.blocking():
            text = self._record.chat(objects.log, {event: names[event] for event in objects.outputs if event in names})
        if text is None:
            raise RefusalError("chat: this conversation is kept nowhere, so it stands only in the request itself")
        self._tell_text(request, "chat", "chat: what was said, and which commands were run", text)

    def _show_output(self, objects: WindowObjects, request: ShowObject) -> None:
        number = _number(request.id)

        def show(row: OutputRow) -> None:
            with self._host.blocking():
                text = self._record.texts_of(row.log, objects.log, (row.event,)).get(row.event)
            if text is None:
                self._refuse(request, f"{request.id}: the log does not have it, or it was taken back")
            else:
                self._tell_text(
                    request, row.object, f"{row.object}: an output of {_time(row.at)}, {row.size} characters", text
                )

        self._ask_output(request, number, show)

    def _show_file(self, request: ShowObject) -> None:
        choices = [bool(request.version), bool(request.hash), bool(request.at)]
        if sum(choices) > 1:
            raise RefusalError("show: a version, a time or a hash is needed, and not several of them")
        if request.id:
            _require_file(request.id)
        elif not request.hash:
            raise RefusalError("show: the id of an object or a hash is needed")

        def show(reply: TextFetched) -> None:
            if reply.text is None:
                self._refuse(request, f"{_version_label(reply.version)}: {_why_no_text(reply.version)}")
            else:
                self._tell_text(request, reply.version.object, _head(reply.version), reply.text)

        self._fetch(request, show, no=request.version, content_hash=request.hash, at=_moment(request.at))

    def _tell_history(self, request: TellHistory) -> None:
        if request.id.startswith("t"):
            number = _number(request.id)

            def tell_one_version(row: OutputRow) -> None:
                ending = row.outcome if row.exit_code is None else f"exit {row.exit_code}"
                note = f"{row.object}: an output has one version, of {_time(row.at)}: {row.size} characters, {ending}"
                note += f"; it is {row.alias}, version {row.alias_no}" if row.alias else ""
                history = HistoryTold(request_id=request.request_id, id=request.id, versions=(), is_all=True, note=note)
                self._host.tell(request.reply_to, history)

            self._ask_output(request, number, tell_one_version)
            return
        _require_file(request.id)

        def tell_versions(reply: Answer | None) -> None:
            if not isinstance(reply, VersionsListed):
                self._refuse(request, _reason(reply))
                return
            showings, kept_numbers = dict(reply.shown), frozenset(reply.kept)
            versions = tuple(
                VersionShown(version=version, is_kept=version.no in kept_numbers, shown=showings.get(version.no, 0))
                for version in reply.versions[:MOST]
            )
            is_all = reply.is_all and len(reply.versions) <= MOST
            history = HistoryTold(request_id=request.request_id, id=request.id, versions=versions, is_all=is_all)
            self._host.tell(request.reply_to, history)

        make = partial(ListVersions, window=self._host.window, object=request.id, after=request.after)
        self._store.inquire(make, self._deadline_s, tell_versions)

    # two versions

    def _diff(self, request: DiffObject) -> None:
        _require_file(request.id)

        def newer(new: TextFetched) -> None:
            number = request.old or new.version.no - 1
            if number < 1:
                self._refuse(request, f"{request.id} has one version, so there is nothing to compare it with")
                return

            def older(old: TextFetched) -> None:
                self._compare(request, old, new)

            self._fetch(request, older, no=number)

        self._fetch(request, newer, no=request.new)

    def _compare(self, request: DiffObject, old: TextFetched, new: TextFetched) -> None:
        for each in (old, new):
            if each.text is None:
                self._refuse(request, f"{_version_label(each.version)}: {_why_no_text(each.version)}")
                return
        labels = _version_label(old.version), _version_label(new.version)
        text = unified_diff(old.text or "", new.text or "", *labels, SHOWN_CHARS)
        self._tell_text(request, request.id, f"{labels[0]} -> {labels[1]}", text or "(no difference)")

    # the store

    def _fetch(
        self,
        request: ShowObject | DiffObject,
        then: Fetched,
        *,
        no: int = 0,
        content_hash: str = "",
        at: datetime | None = None,
    ) -> None:
        def take_reply(reply: Answer | None) -> None:
            if isinstance(reply, TextFetched):
                then(reply)
            else:
                self._refuse(request, _reason(reply))

        window = self._host.window
        make = partial(FetchText, window=window, object=request.id, no=no, content_hash=content_hash, at=at)
        self._store.inquire(make, self._deadline_s, take_reply)

    def _ask_output(self, request: ShowObject | TellHistory, number: int, then: Callable[[OutputRow], None]) -> None:
        def take_reply(reply: Answer | None) -> None:
            if not isinstance(reply, OutputsListed):
                self._refuse(request, _reason(reply))
            elif not reply.outputs:
                self._refuse(request, f"object {request.id!r}: there is none of that name in this window")
            else:
                then(reply.outputs[0])

        self._store.inquire(partial(ListOutputs, window=self._host.window, only=number), self._deadline_s, take_reply)

    def _tell_text(self, request: ShowObject | DiffObject, name: str, head: str, text: str) -> None:
        if len(text) > SHOWN_CHARS:
            head = f"{head}; the first {SHOWN_CHARS} of {len(text)} characters"
            text = text[:SHOWN_CHARS]
        answer = ObjectShown(request_id=request.request_id, id=name, head=head, text=text)
        self._host.tell(request.reply_to, answer)

    def _refuse(self, request: ShowObject | TellHistory | DiffObject, reason: str) -> None:
        self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))


def _reason(reply: Answer | None) -> str:
    return reply.reason if isinstance(reply, Refused) else _NOT_ANSWERED


def _number(name: str) -> int:
    try:
        return number_of(name)
    except ValueError as error:
        raise RefusalError(str(error)) from None


def _require_file(name: str) -> None:
    if name in LOCKED:
        raise RefusalError(f"{name}: has no versions")
    if not name.startswith("f"):
        raise RefusalError(f"object {name!r}: a file's name is needed, f and a number")
    _number(name)


def _version_label(version: FileVersion) -> str:
    return f"{version.object} version {version.no}"


def _head(version: FileVersion) -> str:
    return (
        f"{_version_label(version)}: {shown_path(version.path)}, of {_time(version.valid_from)}, {version.size} bytes"
    )


def _why_no_text(version: FileVersion) -> str:
    reasons = {
        "binary": "it is no UTF-8 text file",
        "missing": "the file is not there",
        "unread": "only its name is known; read it first",
    }
    return reasons.get(version.status, NO_TEXT)


def _moment(text: str) -> datetime | None:
    """Moment by ISO 8601, in UTC unless another zone is named; None for empty text.

    Raises:
        RefusalError: the text is no moment.
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RefusalError(f"time {text!r}: a moment such as 2026-03-01T10:00 is needed (UTC)") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")
