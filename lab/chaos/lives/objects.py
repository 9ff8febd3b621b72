"""Store of objects as a subject: lives edit a file, ask for its wording, and note the answer."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from actors.kernel import ActorSpec, ActorSystem, SystemClock
from actors.objects.actor import ObjectsActor
from actors.objects.store.audit import audit
from actors.objects.store.database import SCHEMA
from lab.bench.objects.layer import config_of, folder_of, specs, word_request
from lab.bench.objects.play import Asked
from lab.bench.objects.prose import WINDOW, source
from lab.chaos.kills.plan import LifePlan
from lab.chaos.lives.account import ANSWERED, ASKED, STARTED, Account, doubled
from lab.chaos.lives.campaign import Counts, ForkedLives, Subject
from messages.base import EventId, Message, RequestId, TurnId, Window
from messages.object_store import (
    OBJECT_STORE,
    ListOutputs,
    ListVersions,
    OutputsListed,
    VersionsListed,
)
from messages.objects import OBJECTS_KIND, ObjectDone, ReadObject, objects_of
from messages.turn import CallShown, RequestWorded, TurnShown

M = TypeVar("M", bound=Message)

KEPT = "kept.json"
LONGEST_S = 0.25
FILE = "src/orders.py"
FILE_CHARS = 4_000
PATIENCE_S = 60.0
STORE_S = 30.0
"""As long as a life waits for the store, so that an answer means that it is kept."""
TURN_CALLS = 8
SHOWN_TURNS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """Line of the account: the event that was asked about or answered, and the hash of the file then."""

    event: str
    """Empty for a skill's script, which has none."""
    content_hash: str
    at: str = ""

    def text(self) -> str:
        """The line."""
        return f"{self.content_hash} {self.at} {self.event}"

    @classmethod
    def read(cls, text: str) -> Entry:
        """The entry of a line."""
        content_hash, at, event = text.split(" ")
        return cls(event, content_hash, at)


class Observed:
    """A system with the layer on the folder of a campaign, and a client."""

    def __init__(self, root: Path) -> None:
        config = dataclasses.replace(config_of(root), store_deadline_s=STORE_S)
        self.system = ActorSystem()
        self.system.register(ActorSpec(OBJECTS_KIND, lambda key: ObjectsActor(Window.from_key(key), config)))
        self.system.register(specs(root)[1])
        self.system.start()
        self._edge = self.system.edge("life")
        self._numbers = itertools.count(1)

    def word(self, asked: Asked) -> None:
        """Ask how a request is worded."""
        request_id = self._next_id()
        self._edge.tell(objects_of(WINDOW), word_request(asked, request_id, self._edge.address))
        self._answer(RequestWorded, request_id)

    def read(self, path: str) -> None:
        """Do what the skill's script does."""
        request_id = self._next_id()
        request = ReadObject(request_id=request_id, reply_to=self._edge.address, window=WINDOW, path=path)
        self._edge.tell(objects_of(WINDOW), request)
        self._answer(ObjectDone, request_id)

    def versions(self) -> Iterator[str]:
        """Hashes of the file's versions that are kept."""
        after, is_all = 0, False
        while not is_all:
            request_id = self._next_id()
            asked = ListVersions(
                request_id=request_id, reply_to=self._edge.address, window=WINDOW, object="f1", after=after
            )
            self._edge.tell(OBJECT_STORE, asked)
            listed = self._answer(VersionsListed, request_id)
            yield from (version.content_hash for version in listed.versions)
            is_all, after = listed.is_all, listed.versions[-1].no if listed.versions else after

    def outputs(self) -> Iterator[str]:
        """Events of the outputs that are kept."""
        after, is_all = 0, False
        while not is_all:
            request_id = self._next_id()
            asked = ListOutputs(request_id=request_id, reply_to=self._edge.address, window=WINDOW, after=after)
            self._edge.tell(OBJECT_STORE, asked)
            listed = self._answer(OutputsListed, request_id)
            yield from (output.event for output in listed.outputs)
            is_all, after = listed.is_all, int(listed.outputs[-1].object[1:]) if listed.outputs else after

    def close(self) -> None:
        """End the actors in good order."""
        self.system.stop(PATIENCE_S)

    def _next_id(self) -> RequestId:
        return RequestId(f"r{next(self._numbers)}")

    def _answer(self, kind: type[M], request_id: RequestId) -> M:
        reply = self._edge.receive(PATIENCE_S, lambda heard: getattr(heard, "request_id", None) == request_id)
        if not isinstance(reply, kind):
            raise TypeError(f"{reply}: {kind.__name__} is required")
        return reply


def live(plan_file: str) -> None:
    """Live as the file says, in the folder in which it stands."""
    root, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    account, observed = Account(root), Observed(root)
    if plan.is_last:
        kept = {"versions": list(observed.versions()), "outputs": list(observed.outputs())}
        observed.close()
        (root / KEPT).write_text(json.dumps(kept))
        sys.exit(0)
    asked = [Entry.read(about) for about in account.about(ASKED)]
    calls = [_call(entry) for entry in asked if entry.event]  # as a log has them, whether or not they were answered
    account.note(STARTED)
    for number in itertools.count(1):
        _edit_and_ask(root, observed, account, calls, f"{plan.number}-{number}")


def _edit_and_ask(root: Path, observed: Observed, account: Account, calls: list[CallShown], name: str) -> None:
    """Change the file, and let the layer know of it by a command's result or by a script."""
    path, began = folder_of(root) / FILE, SystemClock().now()
    text = source(name, FILE_CHARS)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(".fresh")
    fresh.write_text(text)
    fresh.replace(path)
    is_script = random.Random(name).random() < 0.3 and bool(calls)
    entry = Entry("" if is_script else f"e{name}", sha256(text.encode()).hexdigest(), began.isoformat())
    account.note(ASKED, entry.text())
    if is_script:
        observed.read(FILE)
    else:
        calls.append(_call(entry))
        observed.word(_asked(calls))
    account.note(ANSWERED, entry.text())


def _call(entry: Entry) -> CallShown:
    at = datetime.fromisoformat(entry.at)
    return CallShown(
        event=EventId(entry.event),
        call_id=f"call_{entry.event}",
        command=f"touch {FILE} && head -n 1 {FILE}",
        text=entry.content_hash,
        outcome="exited",
        exit_code=0,
        asked_at=at,
        ended_at=at + timedelta(milliseconds=1),
    )


def _asked(calls: list[CallShown]) -> Asked:
    """The newest turns of a conversation in which a turn has some calls each."""
    first = max(0, (len(calls) - 1) // TURN_CALLS - SHOWN_TURNS + 1)
    turns = tuple(
        TurnShown(turn_id=TurnId(f"turn{number}"), calls=tuple(calls[number * TURN_CALLS : (number + 1) * TURN_CALLS]))
        for number in range(first, (len(calls) - 1) // TURN_CALLS + 1)
    )
    return Asked(turns[-1].turn_id, turns, TurnId(""))


def judged(answered: Iterable[Entry], versions: Iterable[str], outputs: Iterable[str]) -> Counts:
    """Count missing entries of answered requests, and doubled entries of the store.

    Args:
        answered: Entries answered by all lives.
        versions: Hashes of kept versions.
        outputs: Events of kept outputs.
    """
    entries, hashes, events = list(answered), Counter(versions), Counter(outputs)
    return {
        "answered": len(entries),
        "lost": sum(not hashes[each.content_hash] or bool(each.event and not events[each.event]) for each in entries),
        "doubled": doubled(hashes) + doubled(events),
    }


def _judge(folder: Path) -> Counts:
    kept = json.loads((folder / KEPT).read_text())
    answered = [Entry.read(about) for about in Account(folder).about(ANSWERED)]
    faults = len(audit(SCHEMA.path(folder)))
    return {**judged(answered, kept["versions"], kept["outputs"]), "faults": faults}


OBJECTS = Subject(
    name="objects",
    killer=lambda scratch: ForkedLives(__name__, scratch, LONGEST_S),
    judge=_judge,
    wrong=frozenset({"lost", "doubled", "faults"}),
    lives_a_folder=25,
)
"""`faults` are those that an audit of the store finds."""
