"""Rig of an actor that owns a derived database, and the troubles that other programs and the disk make for the file."""

from __future__ import annotations

import itertools
import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.memory.derived.database import Schema
from messages.base import Address, Message, RequestId
from messages.socket import Refused

M = TypeVar("M", bound=Message)


class DatabaseRig:
    """One life of the actor after another, on the same file."""

    def __init__(self, root: Path | None, schema: Schema, address: Address) -> None:
        """Begin the first life.

        Args:
            root: Data root; None to keep the database in memory.
            schema: Kind of the database.
            address: Address of the actor.
        """
        self.root = root
        self.clock = ManualClock()
        self._schema = schema
        self._address = address
        self._numbers = itertools.count(1)
        self.start()

    def specs(self) -> Iterable[ActorSpec]:
        """Specs of the actor and its receivers."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """Path of the file."""
        assert self.root is not None
        return self._schema.path(self.root)

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        for spec in self.specs():
            self.system.register(spec)
        self.system.start()

    def stop(self) -> None:
        """End the life in good order."""
        self.system.stop(1.0)

    def live_again(self) -> None:
        """End the life, and begin another."""
        self.stop()
        self.start()

    def ask(self, kind: type[Message], **fields: Any) -> Message:
        """Reply to a request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(self._address, kind(request_id=request_id, reply_to=self.asker.address, **fields))
        self.system.run()
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], kind: type[Message], **fields: Any) -> M:
        """Reply of the expected class."""
        reply = self.ask(kind, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], **fields: Any) -> str:
        """Reason for which a request is refused."""
        return self.answer(Refused, kind, **fields).reason


@contextmanager
def limit_file_size(size: int) -> Iterator[None]:
    """Have the disk take no more than that many bytes of a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def open_beside(path: Path) -> Iterator[apsw.Connection]:
    """Open the file as another program does."""
    connection = apsw.Connection(str(path))
    try:
        yield connection
    finally:
        connection.close()


def alter_file(path: Path, *statements: str) -> None:
    """Execute statements as another program does."""
    with open_beside(path) as connection:
        for statement in statements:
            list(connection.execute(statement))


def alter_behind_tree(path: Path, tree: str, statement: str) -> None:
    """Execute a statement of which one tree of the file learns nothing."""
    of_tree = f"FROM sqlite_schema WHERE name = '{tree}'"
    with open_beside(path) as connection:
        list(connection.execute("PRAGMA writable_schema = on"))
        (row,) = connection.execute(f"SELECT * {of_tree}")
        list(connection.execute(f"DELETE {of_tree}"))
    with open_beside(path) as connection:
        list(connection.execute(statement))
        list(connection.execute("PRAGMA writable_schema = on"))
        list(connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row))


def list_warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Texts of the warnings."""
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
