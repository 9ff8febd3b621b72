"""Base of every actor: pykka's, without its thread; and the actor's interface to its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Never, NoReturn, Protocol, TypeAlias

import pykka
from pykka._envelope import Envelope

from actors.kernel.clock import Timer
from messages.base import Partial, RequestId, request_id_of

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox
    from actors.kernel.thread import Blocking
    from messages.base import Address, Message


Then: TypeAlias = "Callable[[Any], None]"
"""Continuation: called with the answer; with None at the deadline."""


class MakeQuestion(Protocol):
    """Class of a question, most often with its other fields by `partial`; or a function, for an id of its own."""

    def __call__(self, *, request_id: RequestId, reply_to: Address) -> Message:
        """Question with a new id and the address for the answer."""


class Overdue:
    """Notice from the kernel to an actor: a question has passed its deadline."""

    __slots__ = ("actor", "request_id")

    def __init__(self, actor: Actor, request_id: RequestId) -> None:
        self.actor = actor
        """Life of the asking actor; a later life does not have the question."""
        self.request_id = request_id


@dataclass(frozen=True, slots=True)
class Question:
    """One question without an answer.

    Attributes:
        message: Message that was sent; None for a wait.
        then: Continuation of the question.
        timer: Fires at its deadline; None where a coroutine counts the time.
    """

    message: Message | None
    then: Then
    timer: Timer | None


class NotUnderstoodError(Exception):
    """Message outside the actor's protocol: a dead letter and no crash, as the sender is at fault."""

    def __init__(self, message: object) -> None:
        super().__init__(f"{type(message).__name__} is not handled by this actor")


class Outage:
    """Notice to an actor: a thread or loop of its own has died; the kernel puts the notice into the mailbox."""

    __slots__ = ("actor", "error")

    def __init__(self, actor: Actor, error: Exception) -> None:
        self.actor = actor
        """Life of the actor that owned the dead part; a later life has its own."""
        self.error = error


def not_understood(message: Never) -> NoReturn:
    """Close the cases of `handle`; by `Never` the type checker proves the cases complete."""
    raise NotUnderstoodError(message)


class Actor(pykka.Actor):
    """Unit of state and behaviour: handles a message at a time, in order; no other code touches its state.

    Override `on_start` to open, `handle` to act and `on_stop` to close. The kernel builds an instance in a worker,
    attaches the instance to its mailbox, and discards the instance after an exception; the mailbox stays. The kernel
    calls `on_stop` after a stop and after a crash, so `on_stop` must cope with half-open state.
    """

    in_progress: bool = False
    """True while work goes on outside though the mailbox is empty: no passivation, and a drain waits."""

    is_unfinished: bool = False
    """True if work waits for a later time, when the actor goes on by itself: passivation, and no drain waits."""

    mailbox: Mailbox
    """The mailbox; the kernel's own business."""

    questions: dict[RequestId, Question] | None = None
    """Questions without an answer, by id; None before the first. The kernel's own business."""

    waits: int = 0
    """Count of waits so far, the source of the waits' ids; a wait takes no id visible to other actors."""

    def __init__(self) -> None:
        """Open no resource here: `attach` sets pykka's own fields, at a lower cost than pykka's way."""

    def attach(self, mailbox: Mailbox) -> None:
        """Become the actor of `mailbox`; the kernel calls this once, before `on_start`."""
        self.mailbox = mailbox

    def let_go(self) -> None:
        """Forget everything but the mailbox, leaving memory in good order; the kernel calls this once.

        The actor and its parts refer to each other, so all parts would stay until the next full garbage collection. In
        a process of this size, a full collection comes only after a thousand such actors.
        """
        mailbox = self.mailbox
        self.__dict__.clear()
        self.mailbox = mailbox

    def handle(self, message: Any) -> None:
        """Act on `message`; raising is a crash, and the message will be tried again."""
        raise NotUnderstoodError(message)

    @property
    def address(self) -> Address:
        """Name to send this actor's messages to."""
        return self.mailbox.address

    def tell(self, to: Address, message: Message) -> None:
        """Say `message` to the actor at `to`; never waits and never raises, from any thread."""
        self.mailbox.system.tell(to, message)

    def followers(self, topic: str) -> tuple[Address, ...]:
        """Addresses that follow `topic`, by `follow`."""
        return self.mailbox.system.topics.of(topic)

    def follow(self, topic: str) -> None:
        """Receive messages on `topic` until `leave` or the end of this address; a restart changes nothing."""
        self.mailbox.system.topics.follow(topic, self.mailbox.address)

    def leave(self, topic: str) -> None:
        """Stop following the topic."""
        self.mailbox.system.topics.leave(self.mailbox.address, topic)

    def after(self, delay_s: float, message: Message) -> Timer:
        """Have `message` come back to this address in `delay_s` seconds."""
        system, address = self.mailbox.system, self.mailbox.address
        return system.clock.call_later(delay_s, lambda: system.tell(address, message))

    def ask(self, to: Address, make: MakeQuestion, deadline_s: float | None, then: Then) -> RequestId:
        """Ask another actor; its answer goes to `then` instead of `handle`. From any thread without a deadline.

        A crash or a stop forgets all questions: answers then come to `handle` of the next life. An actor with open
        questions stays in memory.

        Args:
            to: Address of the actor asked.
            make: Builds the question, given a new id and this actor's address.
            deadline_s: Seconds after which `then` is called with None; None for no deadline.
            then: Continuation, called as a handler is; an exception is a crash.

        Returns:
            Id of the question.
        """
        question = make(request_id=RequestId(self.new_id()), reply_to=self.address)
        request_id = request_id_of(question)
        self._note_question(request_id, question, deadline_s, then)
        self.tell(to, question)
        return request_id

    def wait(self, delay_s: float, then: Callable[[], None]) -> RequestId:
        """Call `then` in `delay_s` seconds, as continuations are called; `withdraw` cancels by the id."""
        self.waits += 1
        request_id = RequestId(f"wait-{self.waits}")
        self._note_question(request_id, None, delay_s, lambda _: then())
        return request_id

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Run the continuation of a question; override to add the actions of `handle` around every message."""
        then(answer)

    def withdraw(self, request_id: RequestId) -> None:
        """Forget a question without calling its continuation. An unknown id has no effect."""
        question = (self.questions or {}).pop(request_id, None)
        if question is not None and question.timer is not None:
            question.timer.cancel()

    def take_answer(self, message: Message) -> bool:
        """Give a message to the continuation of its question; False for a message without a question."""
        request_id: object = getattr(message, "request_id", None)
        questions = self.questions
        if questions is None or not isinstance(request_id, str) or isinstance(message, Partial):
            return False
        question = questions.get(RequestId(request_id))
        if question is None or question.message is message:  # An actor may ask itself.
            return False
        self.withdraw(RequestId(request_id))
        self.go_on(question.then, message)
        return True

    def expire(self, overdue: Overdue) -> None:
        """Call the continuation of a question past its deadline, unless answered or asked by an earlier life."""
        if overdue.actor is self and (question := (self.questions or {}).pop(overdue.request_id, None)) is not None:
            self.go_on(question.then, None)

    def _note_question(
        self, request_id: RequestId, message: Message | None, deadline_s: float | None, then: Then
    ) -> None:
        questions = self.questions
        if questions is None:
            questions = self.__dict__.setdefault("questions", {})
        mailbox, overdue, timer = self.mailbox, Overdue(self, request_id), None
        if deadline_s is not None:
            timer = mailbox.system.clock.call_later(deadline_s, lambda: mailbox.put(Envelope(overdue)))
        questions[request_id] = Question(message, then, timer)

    def fail(self, error: Exception) -> None:
        """Crash with `error`, before the next message, because something outside the handlers died; from any thread.

        A later life of this address ignores the error.
        """
        self.mailbox.put_first(Envelope(Outage(self, error)))

    def now(self) -> datetime:
        """Wall clock, aware UTC."""
        return self.mailbox.system.clock.now()

    def monotonic(self) -> float:
        """Seconds of the monotonic clock."""
        return self.mailbox.system.clock.monotonic()

    def new_id(self) -> str:
        """8 characters of a-z2-7, not given before."""
        return self.mailbox.system.new_id()

    def new_token(self) -> str:
        """Random, unguessable token: 16 characters of a-z2-7."""
        return self.mailbox.system.new_token()

    def blocking(self) -> Blocking:
        """Context for a wait for the disk; another worker takes this worker's place meanwhile."""
        return self.mailbox.system.dispatcher.blocking

    # pykka's extension points

    @property
    def actor_inbox(self) -> Any:  # type: ignore[override]
        """The mailbox, in the place of pykka's inbox."""
        return self.mailbox

    @property
    def actor_stopped(self) -> Any:  # type: ignore[override]
        """The mailbox, with `is_set` and `set`, the two methods called by pykka."""
        return self.mailbox

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """The address, unique among living actors."""
        return f"urn:actor:{self.mailbox.address}"

    @property
    def actor_ref(self) -> pykka.ActorRef[Any]:
        """A pykka reference, made anew; for outside code that uses pykka. Actors use addresses."""
        return pykka.ActorRef(self)

    def on_receive(self, message: Any) -> Any:
        """Handle a message other than pykka's own (pykka's extension point)."""
        return self.handle(message)

    def _stop(self) -> None:
        self.mailbox.system.runner.end(self.mailbox)

    @staticmethod
    def _create_actor_inbox() -> Any:
        raise TypeError("an actor's inbox belongs to its address; tell the address instead of calling start()")

    @staticmethod
    def _create_future() -> pykka.Future[Any]:
        return pykka.ThreadingFuture()

    def _start_actor_loop(self) -> None:
        self.mailbox.system.schedule(self.mailbox)


class Host(Protocol):
    """The actor behind a part; every `Actor` is a host. A room with further needs extends this protocol."""

    @property
    def address(self) -> Address:
        """Address of the actor; answers go there."""

    def new_id(self) -> str:
        """A fresh id."""

    def new_token(self) -> str:
        """Random, unguessable token: 16 characters of a-z2-7."""

    def now(self) -> datetime:
        """Wall clock, aware UTC."""

    def monotonic(self) -> float:
        """Seconds of the monotonic clock."""

    def tell(self, to: Address, message: Message) -> None:
        """Send a message to another actor, or to this actor for later."""

    def followers(self, topic: str) -> tuple[Address, ...]:
        """Addresses that follow a topic."""

    def after(self, delay_s: float, message: Message) -> Timer:
        """Send a message back to this actor later."""

    def ask(self, to: Address, make: MakeQuestion, deadline_s: float | None, then: Then) -> RequestId:
        """Ask another actor; see `Actor.ask`."""

    def wait(self, delay_s: float, then: Callable[[], None]) -> RequestId:
        """Call `then` later; see `Actor.wait`."""

    def withdraw(self, request_id: RequestId) -> None:
        """Forget a question."""

    def blocking(self) -> Blocking:
        """Wrap a wait for the disk."""


def earliest(host: Host, timer: Timer | None, delay_s: float, message: Message) -> Timer:
    """Timer for several requested callbacks, set for the earliest.

    Args:
        host: The actor to be called back.
        timer: Pending timer of an earlier request; cancelled if later than the new request.
        delay_s: Requested delay from now, in seconds.
        message: Message to be sent.
    """
    if timer is not None:
        if timer.due <= host.monotonic() + delay_s:
            return timer
        timer.cancel()
    return host.after(delay_s, message)
