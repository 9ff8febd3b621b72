"""Ledger of a campaign: messages said, shown and logged, and the verdict. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from actors.scheduler.due_scan import MAY_BE_LATE
from domain.text.mention import without_names
from lab.chaos.kills.texts import REMINDER, parts_of

NOT_STORED = "I cannot store messages"
"""Beginning of the bot's notice about a message left out of the log: not an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """Person's message in Discord's present state."""

    channel_id: int
    message_id: int
    token: str
    text: str
    is_excused: bool = False
    """True if the message may be missing: people were never promised a reading."""
    is_deleted: bool = False
    earlier: tuple[str, ...] = ()
    """Texts before edits."""
    file: bytes = b""
    """Content of the attached file; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotMessage:
    """Final state of a message of the bot's."""

    channel_id: int
    message_id: int
    text: str
    """Text of the message, or the file's content for the beginning of an attached file."""
    replies_to: int = 0
    is_running: bool = False
    """True if the message is still being written, as far as people can see."""
    has_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A person's message in a log."""

    channel_id: int
    message_id: int
    text: str
    is_taken_back: bool = False
    """True if people ended the message's turn, e.g. by a new window."""
    is_withdrawn: bool = False
    """True if the words are recalled no more, after an edit or a deletion."""
    file: bytes | None = None
    """Content of the kept file; None for no file, or for a file with a note on its absence."""
    is_file_lost: bool = False
    """True if the log names a missing file."""


@dataclass(slots=True)
class Tally:
    """Counts of messages, and of faults in their treatment."""

    said: int = 0
    answered: int = 0
    """Messages answered correctly, exactly once and whole."""
    given_up: int = 0
    """Messages answered by a single notice of a missing answer, for example after a second interruption."""
    taken_back: int = 0
    """Not answered because people ended the turn."""
    excused: int = 0
    deleted: int = 0
    """Deleted by their authors; answered or not."""
    edited: int = 0
    files: int = 0
    """Files kept unchanged."""
    gateway_said: int = 0
    gateway_answered: int = 0
    begun_anew: int = 0
    reminders: int = 0
    commands: int = 0
    """Begun by the model."""
    not_logged: int = 0
    logged_twice: int = 0
    logged_altered: int = 0
    not_withdrawn: int = 0
    """Deleted messages with words still recalled."""
    files_altered: int = 0
    """Attached files missing or different."""
    gateway_lost: int = 0
    """Words, answers and facts of answered requests missing in the gateway."""
    gateway_doubled: int = 0
    not_answered: int = 0
    answered_twice: int = 0
    answered_altered: int = 0
    """Answers with a part missing, doubled or cut short."""
    misplaced: int = 0
    """Logged in another window, or answered in another channel."""
    unexpected: int = 0
    """Messages of the bot, and of the logs, without a message of a person."""
    left_running: int = 0
    reminders_lost: int = 0
    reminders_twice: int = 0
    commands_twice: int = 0
    """Commands begun again after an interruption."""
    bad_logs: int = 0
    index_differences: int = 0
    processes_left: int = 0
    faults: int = 0
    """Other faults: an agent that does not come online, ends by itself, or does not end."""
    details: list[str] = field(default_factory=list)

    def wrong(self) -> dict[str, int]:
        """Counts required to be zero."""
        return {name: getattr(self, name) for name in WRONG}

    @property
    def is_sound(self) -> bool:
        """True without faults."""
        return not any(self.wrong().values())

    def note(self, name: str, detail: str, times: int = 1) -> None:
        """Count a fault."""
        setattr(self, name, getattr(self, name) + times)
        self.details.append(f"{name.replace('_', ' ')}: {detail}")

    def add(self, other: Tally) -> None:
        """Take in another's counts and details."""
        for each in fields(self):
            if each.name == "details":
                self.details += other.details
            else:
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


WRONG = (
    "not_logged", "logged_twice", "logged_altered", "not_withdrawn", "files_altered", "gateway_lost",
    "gateway_doubled", "not_answered", "answered_twice", "answered_altered", "misplaced",
    "unexpected", "left_running", "reminders_lost", "reminders_twice", "commands_twice", "bad_logs",
    "index_differences", "processes_left", "faults",
)  # fmt: skip


def judge(sent: Iterable[SentMessage], answers: Iterable[BotMessage], logged: Iterable[Logged]) -> Tally:
    """Judge the treatment of all messages."""
    tally = Tally()
    by_id = {each.message_id: each for each in sent}
    tally.said = len(by_id)
    taken_back = _judge_logs(tally, by_id, logged)
    _judge_answers(tally, by_id, list(answers), taken_back)
    return tally


def judge_reminders(tally: Tally, wanted: Iterable[str], postings: Iterable[BotMessage]) -> None:
    """Count the reminders `wanted`, by their tokens, not said exactly once."""
    by_token: dict[str, list[BotMessage]] = defaultdict(list)
    for each in postings:
        for token in set(REMINDER.findall(each.text)):
            by_token[token].append(each)
    for token in wanted:
        tally.reminders += 1
        times = by_token[token]
        if not times:
            tally.note("reminders_lost", token)
        elif len(times) > 1:
            texts = "; ".join(f"{each.message_id}: {each.text!r}" for each in times)
            tally.note("reminders_twice", f"{token}, {texts}", len(times) - 1)


def find_unsettled(sent: Iterable[SentMessage], answers: Iterable[BotMessage]) -> set[int]:
    """Ids of messages with neither a whole answer nor a notice yet."""
    sent, ended, noticed = list(sent), set[str](), set[int]()
    for each in answers:
        if not each.is_running:
            parts = parts_of(each.text)
            ended.update(parts.begun if each.has_file else parts.ended)
            if not parts.begun and not parts.lines and not _is_report(each.text):
                noticed.add(each.replies_to or _newest_before(sent, each))
    return {each.message_id for each in sent if each.token not in ended and each.message_id not in noticed}


def _is_report(text: str) -> bool:
    """Test for a report of a problem, such as a full disk or a slow machine; a report answers no message."""
    return text.startswith(NOT_STORED) or MAY_BE_LATE in text


def _newest_before(sent: Iterable[SentMessage], reply: BotMessage) -> int:
    """Message answered by a reply without a reference: the newest of the channel at the time; 0 without a message."""
    own = (each.message_id for each in sent if each.channel_id == reply.channel_id)
    return max((each for each in own if each < reply.message_id), default=0)


def _judge_logs(tally: Tally, by_id: dict[int, SentMessage], logged: Iterable[Logged]) -> set[int]:
    """Judge the logs; return the ids of the messages whose turns were ended by people."""
    entries: dict[int, list[Logged]] = defaultdict(list)
    for entry in logged:
        entries[entry.message_id].append(entry)
    for message_id in entries.keys() - by_id.keys():
        tally.note("unexpected", f"message {message_id} in a log: {entries[message_id][0].text[:80]!r}")
    for message_id, sent in by_id.items():
        _judge_entries(tally, sent, entries.get(message_id, []))
    return {message_id for message_id, own in entries.items() if any(entry.is_taken_back for entry in own)}


def _judge_entries(tally: Tally, sent: SentMessage, own: list[Logged]) -> None:
    """Judge the entries of a message; each edit adds an entry, and withdraws the one before."""
    present = [entry for entry in own if not entry.is_withdrawn]
    tally.edited += bool(sent.earlier)
    if not own:
        if not (sent.is_excused or sent.is_deleted):
            tally.note("not_logged", _name_of(sent))
        return
    if sent.is_deleted:
        if present:
            tally.note("not_withdrawn", _name_of(sent))
    elif len(present) > 1:
        tally.note("logged_twice", f"{_name_of(sent)}, {len(present)} times", len(present) - 1)
    elif without_names(own[-1].text) != without_names(sent.text):
        tally.note("logged_altered", f"{_name_of(sent)}: {sent.text[:60]!r} is logged as {own[-1].text[:60]!r}")
    known = {without_names(text) for text in (sent.text, *sent.earlier)}
    for entry in own if sent.is_deleted else own[:-1]:
        if without_names(entry.text) not in known:
            tally.note("logged_altered", f"{_name_of(sent)}: {sent.text[:60]!r} was logged as {entry.text[:60]!r}")
    for entry in own:
        if entry.channel_id != sent.channel_id:
            tally.note("misplaced", f"{_name_of(sent)}: in the log of {entry.channel_id}")
    if sent.file and not sent.is_deleted:
        newest = own[-1]
        if newest.is_file_lost or newest.file not in (None, sent.file):
            tally.note("files_altered", _name_of(sent))
        tally.files += newest.file == sent.file


@dataclass(slots=True)
class _AnswerTally:
    """Content of the bot's messages for one question."""

    begun: int = 0
    ended: int = 0
    lines: Counter[int] = field(default_factory=Counter)
    of: int = 0
    notices: int = 0
    notice: str = ""


def _judge_answers(
    tally: Tally, by_id: dict[int, SentMessage], answers: list[BotMessage], taken_back: set[int]
) -> None:
    by_token = {sent.token: sent for sent in by_id.values()}
    tallies: dict[int, _AnswerTally] = defaultdict(_AnswerTally)
    for message in answers:
        _read(tally, by_id, by_token, tallies, message)
    for message_id, sent in by_id.items():
        own = tallies[message_id]
        if sent.is_excused and not own.begun and not own.notices:
            tally.excused += 1
        elif sent.is_deleted and max(own.begun, own.ended) + own.notices <= 1:
            tally.deleted += 1
        elif message_id in taken_back and max(own.begun, own.ended) <= 1:
            tally.taken_back += 1
        else:
            _judge_one(tally, sent, own)


def _judge_one(tally: Tally, sent: SentMessage, own: _AnswerTally) -> None:
    times = max(own.begun, own.ended) + own.notices
    if own.begun == own.ended == 0 and own.notices == 1 and not own.lines:
        tally.given_up += 1
    elif times == 0:
        tally.note("not_answered", _name_of(sent))
    elif times > 1:
        detail = (
            f"{_name_of(sent)}: {own.begun} beginnings, {own.ended} ends, {own.notices} notices {own.notice[:60]!r}"
        )
        tally.note("answered_twice", detail, times - 1)
    elif own.ended != 1 or own.begun != 1 or own.lines != Counter(range(1, own.of + 1)):
        wrong = [number for number in range(1, own.of + 1) if own.lines[number] != 1]
        detail = f"{_name_of(sent)}: {own.begun} beginnings, {own.ended} ends, lines not once: {wrong[:5]} of {own.of}"
        tally.note("answered_altered", detail)
    else:
        tally.answered += 1


def _read(
    tally: Tally,
    by_id: dict[int, SentMessage],
    by_token: dict[str, SentMessage],
    tallies: dict[int, _AnswerTally],
    message: BotMessage,
) -> None:
    """Enter a message of the bot's under the question answered."""
    if message.is_running:
        tally.note("left_running", f"{message.message_id} in {message.channel_id}: {message.text[:60]!r}")
        return
    if REMINDER.search(message.text) or _is_report(message.text):
        return
    parts = parts_of(message.text)
    tokens = {*parts.begun, *parts.ended, *(token for token, _, _ in parts.lines)}
    if not tokens:
        sent = by_id.get(message.replies_to)
        if sent is None:
            tally.note("unexpected", f"{message.message_id} in {message.channel_id}: {message.text[:100]!r}")
        else:
            tallies[sent.message_id].notices += 1
            tallies[sent.message_id].notice = message.text
        return
    for token in tokens:
        sent = by_token.get(token)
        if sent is None:
            tally.note("unexpected", f"{message.message_id} in {message.channel_id}: {message.text[:100]!r}")
            continue
        if sent.channel_id != message.channel_id:
            tally.note("misplaced", f"{_name_of(sent)}: answered in {message.channel_id}")
        own = tallies[sent.message_id]
        own.begun += parts.begun.count(token)
        own.ended += parts.ended.count(token)
        own.lines.update(number for each, number, _ in parts.lines if each == token)
        own.of = max([own.of, *(count for each, _, count in parts.lines if each == token)])


def _name_of(sent: SentMessage) -> str:
    return f"{sent.token} ({sent.message_id} in {sent.channel_id})"
