"""Owner of a database: opened by the first request, refused with a reason in trouble, tried again by each request."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from actors.kernel import Actor
from actors.memory.derived.database import (
    DAMAGE,
    PASSING,
    DatabaseError,
    DerivedDatabase,
    Schema,
)
from messages.base import Address, Message, RequestId
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

TIDY_S = 2.0
"""Seconds without a change after which the WAL is written into the database."""


class RefusalError(ValueError):
    """A request that cannot be met; the text names the value and the rule."""


class DamageError(Exception):
    """The content of the file is not as written."""


_DAMAGE = (*DAMAGE, DamageError, UnicodeDecodeError)
_TROUBLE = (DatabaseError, OSError, DamageError, UnicodeDecodeError)


class Request(Protocol):
    """Message that gets an answer."""

    @property
    def request_id(self) -> RequestId:
        """Id of the request."""

    @property
    def reply_to(self) -> Address:
        """Receiver of the answer."""


class Store(Protocol):
    """Open store of rows."""

    @property
    def file(self) -> DerivedDatabase:
        """The open database."""

    def figures(self) -> Sequence[tuple[str, int]]:
        """Counts and sizes."""


S = TypeVar("S", bound=Store)


class DatabaseActor(Actor, Generic[S]):
    """Sole owner of a database file.

    A file that is gone, locked, full or damaged is no crash: requests meanwhile are refused with the reason, and the
    file is tried again with the next request; a damaged one is moved aside.
    """

    def __init__(self, schema: Schema, open_store: Callable[[bool], S]) -> None:
        """Begin without a store.

        Args:
            schema: Kind of the database.
            open_store: Opens the store, given whether damage was found in its file.
        """
        super().__init__()
        self._name = schema.name
        self._open_store = open_store
        self._store: S | None = None
        self._trouble = ""
        self._is_doubtful = False
        self._is_tidying = False
        self._changed_at = 0.0

    def on_stop(self) -> None:
        """Close the file."""
        self._close()

    def note_opening(self, store: S) -> None:
        """Note the opening of a store."""

    def answer(self, message: Request, do: Callable[[S], Message]) -> bool:
        """Answer a request from the store, or refuse it with the reason; True if the store was usable."""
        try:
            with self.blocking():
                answer: Message = do(self._current())
        except RefusalError as error:
            answer = _refusal(message, str(error))
        except UnicodeEncodeError as error:
            self.refuse(message, f"{type(message).__name__}: text that is not Unicode cannot be kept: {error}")
            return False
        except _TROUBLE as error:
            self.refuse(message, f"{self._name} cannot be used: {self._note_trouble(error)}")
            return False
        self._note_health()
        self.tell(message.reply_to, answer)
        return True

    def refuse(self, message: Request, reason: str) -> None:
        """Refuse a request."""
        self.tell(message.reply_to, _refusal(message, reason))

    def describe(self, message: DescribeYourself) -> None:
        """Answer with the store's state and figures."""
        counts: Sequence[tuple[str, int]] = ()
        try:
            with self.blocking():
                counts = self._current().figures()
        except _TROUBLE as error:
            self._note_trouble(error)
        else:
            self._note_health()
        description = SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", "in trouble" if self._trouble else "ready"),),
            operator_figures=(*counts, ("trouble", self._trouble or "none")),
        )
        self.tell(message.reply_to, description)

    def tidy_later(self) -> None:
        """Have the WAL taken into the database once no change has come for a while."""
        self._changed_at = self.monotonic()
        if not self._is_tidying:
            self._is_tidying = True
            self.wait(TIDY_S, self._tidy)

    def _tidy(self) -> None:
        rest_s = self._changed_at + TIDY_S - self.monotonic()
        if rest_s > 0:
            self.wait(rest_s, self._tidy)
            return
        self._is_tidying = False
        if self._store is None:
            return
        try:
            with self.blocking():
                self._store.file.tidy()
        except (DatabaseError, OSError) as error:  # The next request meets it again.
            log.info("the WAL of %s stays as it is for now: %s", self._name, error)

    def _current(self) -> S:
        """The store, opened anew if its file is gone."""
        if self._store is not None and not self._store.file.is_in_place:
            log.warning("%s was removed or replaced: it is opened again", self._name)
            self._close()
        if self._store is None:
            self._store = self._open_store(self._is_doubtful)
            self._is_doubtful = False
            self.note_opening(self._store)
        return self._store

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.file.close()
            except (DatabaseError, OSError) as error:
                log.info("%s could not be closed in good order: %s", self._name, error)

    def _note_trouble(self, error: Exception) -> str:
        """Note an error, and return its description. The file stays open if busy or full."""
        is_damage = isinstance(error, _DAMAGE)
        self._is_doubtful = self._is_doubtful or is_damage
        if not isinstance(error, PASSING) or (self._store is not None and self._store.file.connection.in_transaction):
            self._close()
        if not self._trouble:
            log.warning("%s cannot be used, which is tried again with each request: %s", self._name, error)
        self._trouble = f"it is damaged: {error}" if is_damage else str(error)
        return self._trouble

    def _note_health(self) -> None:
        if self._trouble:
            log.info("%s can be used again", self._name)
        self._trouble = ""


def _refusal(message: Request, reason: str) -> Refused:
    return Refused(request_id=message.request_id, reason=reason)
