"""Resolution of a scope: events of a forget request, requested from the memory and from the windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from actors.forget.config import ForgetConfig
from actors.forget.repetition import find_copies, find_thread, may_repeat, may_show, windows_with_logs
from actors.forget.round import Round, RoundQuestion
from actors.kernel import Host
from domain.log.window import keeps_logs
from domain.policy.forgetting.repeatable import first_repetition
from domain.policy.forgetting.rights import Asker, on_topic, repeatable_texts
from domain.turn.forgetting.needles import Needles
from messages.base import Message, Window
from messages.forget import ForgettableEvent, ForgettableListed, ListForgettable, Scope, ScopeKind
from messages.memory import MemoriesFound, SearchMemory
from messages.socket import Refused
from messages.turn import Reference

MOST_RESULTS = 200
"""Search results to choose a topic from."""
SEARCH_S = 30.0
UNREADABLE = "the logs cannot be looked through for repetitions: {error}"
_WINDOWS_PER_STEP = 20
"""Windows whose logs are read before other messages come up."""

Done = Callable[["Resolved | str"], None]
"""Called with the events, or with the reason for a failure."""

Answers = list[tuple[Window, Message | None]]
"""Answer of each asked window; None without an answer in time."""


@dataclass(slots=True)
class Resolved:
    """Events of a scope."""

    scope: Scope
    events: dict[Window, tuple[ForgettableEvent, ...]] = field(default_factory=dict)
    readable: frozenset[Window] = frozenset()
    """Windows named in the scope; of other windows the requester learns no words."""
    withheld: int = 0
    """Events in the readable windows that the requester may not have forgotten."""
    is_partial: bool = False
    """True if the search may have more on the topic."""
    repeated: int = 0
    """Number of events that only repeat another event's text."""

    @property
    def is_whole(self) -> bool:
        """True if the window of the scope goes as a whole."""
        return self.scope.kind is ScopeKind.WINDOW

    @property
    def count(self) -> int:
        """Number of events."""
        return sum(map(len, self.events.values()))

    def add(self, window: Window, events: Iterable[ForgettableEvent]) -> int:
        """Add events of a window, each once; return the number of new events."""
        known = {event.event_id: event for event in self.events.get(window, ())}
        before = len(known)
        known |= {event.event_id: event for event in events if event.event_id not in known}
        if known:
            self.events[window] = tuple(known.values())
        return len(known) - before


class Resolution:
    """Resolution of a scope."""

    def __init__(self, host: Host, config: ForgetConfig, scope: Scope, asker: Asker, done: Done) -> None:
        """Begin without requests.

        Args:
            host: Actor that asks.
            config: Of the actor.
            scope: Target.
            asker: Requester, with rights that were checked for the scope.
            done: Called once.
        """
        self._host = host
        self._config = config
        self._asker = asker
        self._done = done
        self._resolved = Resolved(scope)

    def begin(self) -> None:
        """Ask the memory for a topic, and the window for any other scope."""
        scope = self._resolved.scope
        if scope.kind is not ScopeKind.TOPIC or scope.places:
            if keeps_logs(scope.window.surface, scope.window.id):
                self._list([scope, *find_thread(self._config.data_root, scope)])
            else:
                self._done(f"window {scope.window.address.key} keeps no logs")
        elif self._config.memory is None:
            self._done("a topic is found by the memory, which is switched off (memory.enabled)")
        elif not scope.words.strip():
            self._done("a topic needs words")
        else:
            make = partial(
                SearchMemory, window=scope.window, query=scope.words, limit=MOST_RESULTS, about=scope.person_name
            )
            self._host.ask(self._config.memory, make, SEARCH_S, self._take_memories)

    def _take_memories(self, answer: Message | None) -> None:
        if not isinstance(answer, MemoriesFound):
            self._done(answer.reason if isinstance(answer, Refused) else "the memory does not answer; please try again")
            return
        places: dict[Window, list[Reference]] = defaultdict(list)
        topic = self._resolved.scope
        memories = [*answer.memories] if topic.person_name else on_topic(answer.memories)
        self._resolved.is_partial = len(memories) >= MOST_RESULTS / (1 if topic.person_name else 2)
        for memory in memories:
            places[Window.from_key(memory.window)].append(Reference(path=memory.path, line=memory.line))
        self._list([replace(topic, window=window, places=tuple(each)) for window, each in places.items()])

    def _list(self, scopes: Iterable[Scope]) -> None:
        self._ask_windows(scopes, self._take_listed)

    def _ask_windows(self, scopes: Iterable[Scope], then: Callable[[Answers], None]) -> None:
        scope_list = list(scopes)

        def question(number: int) -> RoundQuestion[int]:
            scope = scope_list[number]
            limited = replace(scope, only_by=self._asker.limit_in(scope.window))
            make = partial(ListForgettable, window=limited.window, scope=limited)
            return RoundQuestion(number, scope.window.address, make)

        def end(answers: dict[int, Message | None]) -> None:
            then([(scope_list[number].window, answer) for number, answer in answers.items()])

        Round(self._host, map(question, range(len(scope_list))), self._config.list_s, end)

    def _take_listed(self, answers: Answers) -> None:
        if not self._note(answers):
            return
        self._resolved.readable = frozenset(window for window, _ in answers)
        if self._resolved.scope.kind is ScopeKind.EXPIRED:
            self._done(self._resolved)
            return
        events = self._resolved.events.items()
        messages = {window: [event.message_id for event in each if event.author_id] for window, each in events}
        self._ask_for_copies(messages, self._take_copies)

    def look_again(
        self, messages: Mapping[Window, Iterable[str]], texts: tuple[str, ...], since: datetime | None
    ) -> None:
        """Add copies of forgotten messages, and repetitions of their texts, and end; `since` as of a scope."""

        def take(answers: Answers) -> None:
            if self._note(answers):
                self._find_repetitions(texts, since)

        self._ask_for_copies(messages, take)

    def _ask_for_copies(self, messages: Mapping[Window, Iterable[str]], then: Callable[[Answers], None]) -> None:
        try:
            with self._host.blocking():
                copies = list(find_copies(self._config.data_root, messages))
        except OSError as error:
            self._done(UNREADABLE.format(error=error))
            return
        self._ask_windows(copies, then)

    def _take_copies(self, answers: Answers) -> None:
        withheld = self._resolved.withheld
        if not self._note(answers):
            return
        self._resolved.withheld = withheld
        events = [event for each in self._resolved.events.values() for event in each]
        times = (event.at for event in events if event.author_id)
        self._find_repetitions(repeatable_texts(events), first_repetition(times))

    def _find_repetitions(self, texts: tuple[str, ...], since: datetime | None) -> None:
        """Add the events of any window that repeat a given text, and end; `since` as of a scope."""
        if not texts:
            self._done(self._resolved)
            return
        whole = self._resolved.scope.window if self._resolved.is_whole else None
        try:
            with self._host.blocking():
                windows = [each for each in windows_with_logs(self._config.data_root) if each != whole]
        except OSError as error:
            self._done(UNREADABLE.format(error=error))
            return
        repeated = Scope(kind=ScopeKind.REPEATED, window=self._resolved.scope.window, texts=texts, since=since)
        self._scan(repeated, Needles(texts), windows, [])

    def _scan(self, repeated: Scope, needles: Needles, left: list[Window], candidates: list[Window]) -> None:
        """Look into some windows' logs, and come back for the rest."""
        root, piece = self._config.data_root, left[:_WINDOWS_PER_STEP]
        try:
            with self._host.blocking():
                tests = may_repeat, may_show
                candidates += [window for window in piece if any(test(root, window, needles) for test in tests)]
        except OSError as error:
            self._done(UNREADABLE.format(error=error))
            return
        if rest := left[_WINDOWS_PER_STEP:]:
            self._host.wait(0, partial(self._scan, repeated, needles, rest, candidates))
            return
        scopes = [replace(repeated, window=window) for window in candidates]
        self._ask_windows(scopes, self._take_repeated)

    def _take_repeated(self, answers: Answers) -> None:
        before, withheld = self._resolved.count, self._resolved.withheld
        if self._note(answers):
            self._resolved.repeated = self._resolved.count - before
            self._resolved.withheld = withheld
            self._done(self._resolved)

    def _note(self, answers: Answers) -> bool:
        """Add events listed by windows; False if an answer is missing; resolution then ends."""
        for window, answer in answers:
            if not isinstance(answer, ForgettableListed):
                reason = answer.reason if isinstance(answer, Refused) else "it does not answer"
                self._done(f"window {window.address.key} cannot list its messages: {reason}; please try again")
                return False
            self._resolved.add(window, answer.events)
            self._resolved.withheld += answer.withheld
        return True
