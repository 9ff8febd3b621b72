"""Verdict on a run: the people's words and views, held against the disk."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from actors.context.log.file import findings_at
from domain.log.event import Event, Kind
from domain.log.parser import parse
from domain.text.running_text import is_running
from lab.simulation.doubles import ANSWERED, ASKED, Outside
from lab.simulation.payloads import BOT
from lab.simulation.script import FIRST_CHAT
from lab.simulation.server import DiscordServer
from messages.base import Surface, Window

_REFUSAL = re.compile(r"x(\d+)(?:\.\d+)?")
"""Nonce of a notice about an unstored message."""
_NAMED_DIGITS = 18
"""Last digits of the message's id in the nonce."""
FACT = re.compile(r"^- (fact f\d+)", re.MULTILINE)
REMINDED = re.compile(r"\br(\d+)\b")


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a seed."""

    seed: int
    digest: str
    """Digest of the whole schedule in retrospect."""
    steps: int
    lives: int
    said: int
    counts: dict[str, int]
    """Number of message events that were lost, late or doubled, of gateway turns, and of facts confirmed."""
    faults: tuple[str, ...]
    """Faults; empty for a run that kept every promise."""
    lines: tuple[str, ...] = ()
    """The schedule, if wanted."""


@dataclass(frozen=True, slots=True)
class PersonMessage:
    """Message of a person."""

    number: int
    """Number of the question; 0 for none."""
    window: Window
    at: float


@dataclass(slots=True)
class Record:
    """Record of a run by the world, independent of the agent."""

    messages: dict[int, PersonMessage] = field(default_factory=dict)
    """Message -> its words."""
    met_at: float | None = None
    """Time at which the agent was online first: earlier messages were not meant for the agent."""
    unsent: set[int] = field(default_factory=set)
    """Messages whose events were lost or late, messages that could not be stored at first, and messages whose history
    stayed unreadable for longer than others wait: these may be out of order."""
    requests: dict[str, str] = field(default_factory=dict)
    """Request -> words of the request."""
    reminders_asked: list[str] = field(default_factory=list)
    reminders_confirmed: set[str] = field(default_factory=set)
    lost_hosts: int = 0
    """Number of hosts lost by the agent."""
    chats_answered: int = 0
    """Number of whole answers of the gateway."""
    chats_promised: set[int] = field(default_factory=set)
    """Questions to the gateway with a whole answer, and no fault of the disk or crash between."""
    facts_staged: set[str] = field(default_factory=set)
    """Facts confirmed by curated memory."""
    disk_changes: int = 0
    """Number of failures of the disk, and of their ends."""
    went_back: bool = False
    """True if the agent's clock was set back, so reminders due soon may be due after the run."""
    faults: list[str] = field(default_factory=list)

    def fault(self, what: str) -> None:
        """Record a fault."""
        self.faults.append(what)


@dataclass(slots=True)
class _Logs:
    """Contents of the logs."""

    users: dict[int, list[Event]] = field(default_factory=dict)
    """Message -> its events."""
    order: dict[Window, list[int]] = field(default_factory=dict)
    """Window -> its messages in the order of the logs."""
    ended: dict[str, str] = field(default_factory=dict)
    """Turn -> reason for the missing answer."""
    words: str = ""
    """All answers and calls."""
    unanswered: dict[Window, dict[str, int]] = field(default_factory=dict)
    """Window -> each turn without an answer so far, and its newest message."""
    stopped: set[str] = field(default_factory=set)
    """Turns stopped by a person's "stop"."""
    damage: list[str] = field(default_factory=list)


def of(record: Record, data: Path, server: DiscordServer, outside: Outside) -> list[str]:
    """Faults of a run; empty if every promise was kept."""
    logs, refused = _read(data, record), refused_among(record.messages, _nonces(server))
    return [
        *logs.damage,
        *_logged_once(record, logs, refused),
        *_in_order(logs, refused | record.unsent),
        *_answered_once(record, logs, server),
        *_shown_is_stored(server, outside, logs),
        *_reminded_once(record, server),
        *_kept_once(record, data),
        *_noted_once(record, data),
    ]


def _read(data: Path, record: Record) -> _Logs:
    logs = _Logs()
    windows = {message.window for message in record.messages.values()}
    for window in sorted(windows, key=lambda each: each.address.key):
        folder = data / "logs" / window.surface.value / window.id
        paths = sorted(folder.glob("*.md"))
        for path in paths:
            log = parse(path.read_bytes())
            for logged in log.events:
                _take_in(logs, window, logged.event)
            # An earlier log that the disk did not let the agent seal is sealed at the next opening of the window.
            may_be_cut = path != paths[-1] and record.disk_changes > 0
            logs.damage += [
                f"{path.name}: {finding}"
                for finding in findings_at(path, log)
                if not (may_be_cut and log.torn is not None and finding.line == log.torn.line)
            ]
    return logs


def _take_in(logs: _Logs, window: Window, event: Event) -> None:
    meta = event.meta_dict()
    turn = str(meta.get("turn"))
    match event.kind:
        case Kind.USER:
            number = int(str(meta["message_id"]))
            logs.users.setdefault(number, []).append(event)
            logs.order.setdefault(window, []).append(number)
            unanswered = logs.unanswered.setdefault(window, {})
            older = [each for each, message in unanswered.items() if message < number]
            if event.content == "stop" and older:
                logs.stopped.update(older)
                logs.unanswered[window] = {each: unanswered[each] for each in unanswered if each not in older}
            elif not meta.get("overheard"):
                unanswered[event.id] = number
        case Kind.SYSTEM if meta.get("what") in ("aborted", "failed", "refused"):
            logs.ended[turn] = str(meta["what"])
            logs.unanswered.get(window, {}).pop(turn, None)
        case Kind.SYSTEM if meta.get("what") == "joined":
            logs.ended.setdefault(str(meta.get("message")), f"joined {meta.get('turn')}")
            unanswered = logs.unanswered.setdefault(window, {})
            joined = unanswered.pop(str(meta.get("message")), 0)
            if turn in unanswered:
                unanswered[turn] = max(unanswered[turn], joined)
        case Kind.AGENT | Kind.TOOL_CALL:
            logs.words += f"{event.content}\n"
            if turn in logs.stopped:
                logs.damage.append(f"turn {turn} went on although it was stopped: {event.kind}")
            if event.kind is Kind.AGENT:
                logs.unanswered.get(window, {}).pop(turn, None)
        case _:
            return


def refused_among(messages: Iterable[int], nonces: Iterable[str]) -> set[int]:
    """Messages that notices with the given nonces call unstorable: they may be logged later, or never."""
    digits = {refusal[1] for nonce in nonces if (refusal := _REFUSAL.fullmatch(nonce))}
    return {number for number in messages if str(number)[-_NAMED_DIGITS:] in digits}


def _nonces(server: DiscordServer) -> Iterator[str]:
    """Nonces of all messages in Discord."""
    return (post.nonce for place in server.places.values() for post in place.posts.values())


def _logged_once(record: Record, logs: _Logs, refused: set[int]) -> Iterator[str]:
    met_at = math.inf if record.met_at is None else record.met_at
    for number, message in record.messages.items():
        times = len(logs.users.get(number, ()))
        is_known = message.at > met_at
        if message.window.surface is Surface.DISCORD_DM:
            # Discord tells nobody of conversations that it has not delivered a word of.
            is_known = number > min(logs.order.get(message.window, ()), default=number)
        if times > 1 or (times == 0 and is_known and number not in refused):
            yield f"q{message.number} of {message.window.address.key} ({message.at:.1f} s) was logged {times} times"


def _in_order(logs: _Logs, refused: set[int]) -> Iterator[str]:
    for window, logged in logs.order.items():
        numbers = [number for number in logged if number not in refused]
        if numbers != sorted(numbers):
            yield f"messages of {window.address.key} are not in their order"


def _answered_once(record: Record, logs: _Logs, server: DiscordServer) -> Iterator[str]:
    answers: Counter[int] = Counter()
    for place in server.places.values():
        for post in place.posts.values():
            if post.author == BOT:
                answers.update(map(int, ANSWERED.findall(post.text)))
                if is_running(post.text):
                    yield f"a running message is left in {place.number}: {post.text!r}"
    for number, message in record.messages.items():
        times, events = answers[message.number], logs.users.get(number, ())
        if not message.number or not events:
            continue
        excuse = _excuse(logs, events[0].id)
        if times > 1 or (times == 0 and not excuse):
            where = f"{message.window.address.key} ({message.at:.1f} s)"
            yield f"q{message.number} of {where} was answered {times} times ({excuse})"


def _excuse(logs: _Logs, event_id: str) -> str:
    """Excuse for a turn without an answer; empty for no excuse."""
    reason = logs.ended.get(event_id, "")
    if reason.startswith("joined "):
        return logs.ended.get(reason.removeprefix("joined "), "")
    return reason


def _shown_is_stored(server: DiscordServer, outside: Outside, logs: _Logs) -> Iterator[str]:
    stored = set(ANSWERED.findall(logs.words))
    for place in server.places.values():
        for post in place.posts.values():
            if post.author == BOT and not is_running(post.text):
                for number in ANSWERED.findall(post.text):
                    if number not in stored:
                        yield f"a{number} was shown and is in no log"
    for command, times in outside.ran.items():
        if times > 1:
            yield f"{command!r} was run {times} times"
        if command not in logs.words:
            yield f"{command!r} was run and is in no log"


def _reminded_once(record: Record, server: DiscordServer) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for place in server.places.values():
        for post in place.posts.values():
            if post.author == BOT and post.text.startswith("⏰"):
                seen.update(f"r{number}" for number in REMINDED.findall(post.text))
    for words in record.reminders_asked:
        least = words in record.reminders_confirmed and not record.went_back
        if not least <= seen[words] <= 1:
            yield f"reminder {words} was said {seen[words]} times"


def _kept_once(record: Record, data: Path) -> Iterator[str]:
    """Turns of the gateway's clients, held against the facts' files."""
    for role, number_of in (("user", ASKED), ("assistant", ANSWERED)):
        counts: Counter[int] = Counter()
        for path in sorted((data / "memory_db" / "entries").glob(f"chat-*/turns/{role}/*.md")):
            counts.update({int(number) for number in number_of.findall(path.read_text("utf-8"))})
        # Smaller numbers are parts of ids: `-a883-`.
        for number in sorted(record.chats_promised | {each for each in counts if each >= FIRST_CHAT}):
            if not int(number in record.chats_promised) <= counts[number] <= 1:
                yield f"chat {number}: the words of the {role} were kept {counts[number]} times"


def _noted_once(record: Record, data: Path) -> Iterator[str]:
    """Facts of curated memory, held against the index."""
    index = data / "curated-global" / "MEMORY.md"
    noted = Counter(FACT.findall(index.read_text("utf-8") if index.exists() else ""))
    for fact in sorted(record.facts_staged | noted.keys()):
        if not int(fact in record.facts_staged) <= noted[fact] <= 1:
            yield f"{fact}: noted {noted[fact]} times"
