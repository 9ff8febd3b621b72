"""Client of ApprovalActor: requests of an actor that wait for a person, before any queue of that actor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar

from actors.kernel import Host
from domain.policy.approval import APPROVAL_S, NO_ANSWER
from messages.base import RequestId, Window
from messages.shell import (
    APPROVAL,
    ApprovalGranted,
    ApprovalKind,
    ApprovalRefused,
    ApprovalReply,
    AskApproval,
    WithdrawApproval,
)

_DEADLINE_S = APPROVAL_S + 60.0
"""Longer than any question is open."""


class ApprovableRequest(Protocol):
    """Request that a person can be asked about."""

    @property
    def request_id(self) -> RequestId:
        """Id of the request."""

    @property
    def window(self) -> Window:
        """Conversation of the request."""


R = TypeVar("R", bound=ApprovableRequest)
Act = tuple[ApprovalKind, str, bool]
"""Kind and words of an act, and True if an earlier life may have done the act."""


class Approvals(Generic[R]):
    """Waiting room of requests; each request leaves by either `enter` or `refuse`, or is withdrawn."""

    def __init__(
        self,
        host: Host,
        act_of: Callable[[R], Act],
        *,
        enter: Callable[[R], None],
        refuse: Callable[[R, ApprovalRefused], None],
        waiting: dict[RequestId, R] | None = None,
        on_change: Callable[[R, bool], None] = lambda _request, _waits: None,
    ) -> None:
        """Begin without questions.

        Args:
            host: Actor of the requests.
            act_of: Gives the act resulting from a request.
            enter: Called with each approved request.
            refuse: Called with each refused request, and the reason.
            waiting: Requests waiting even across restarts of the actor; None to let requests end with the actor.
            on_change: Called with a request and True at the start of the wait, with False at the end.
        """
        self._host = host
        self._act_of = act_of
        self._enter = enter
        self._refuse = refuse
        self._on_change = on_change
        self._waiting: dict[RequestId, R] = {} if waiting is None else waiting
        self._questions: dict[RequestId, RequestId] = {}
        """Request -> id of the question in this life."""

    def __contains__(self, request_id: RequestId) -> bool:
        """True if the request waits."""
        return request_id in self._waiting

    def __len__(self) -> int:
        """Number of waiting requests."""
        return len(self._waiting)

    def waiting_of(self, window: Window) -> int:
        """Number of waiting requests of a window."""
        return sum(request.window == window for request in self._waiting.values())

    def resume(self) -> None:
        """Ask again for the requests still waiting at the end of an earlier life of the actor."""
        for request in self._waiting.values():
            self._ask(request)

    def add(self, request: R) -> None:
        """Ask for a further request."""
        self._waiting[request.request_id] = request
        self._ask(request)

    def withdraw(self, request_id: RequestId) -> R | None:
        """Withdraw a request and return the request; None for a request not waiting."""
        request = self._waiting.pop(request_id, None)
        if request is not None:
            self._let_go(request)
        return request

    def clear(self) -> list[R]:
        """Forget and return all waiting requests; their questions stay open until their turns end."""
        return [request for request_id in list(self._waiting) if (request := self.withdraw(request_id)) is not None]

    def pause(self) -> None:
        """Wait for no answer in this life; requests and questions stay."""
        for request_id in list(self._questions):
            self._let_go(self._waiting[request_id])

    def _ask(self, request: R) -> None:
        kind, text, is_again = self._act_of(request)
        make = partial(AskApproval, window=request.window, kind=kind, text=text, is_again=is_again)
        self._questions[request.request_id] = self._host.ask(APPROVAL, make, _DEADLINE_S, partial(self._take, request))
        self._on_change(request, True)

    def _let_go(self, request: R) -> None:
        question_id = self._questions.pop(request.request_id)
        self._host.withdraw(question_id)
        self._host.tell(APPROVAL, WithdrawApproval(request_id=question_id))
        self._on_change(request, False)

    def _take(self, request: R, answer: ApprovalReply | None) -> None:
        del self._waiting[request.request_id], self._questions[request.request_id]
        self._on_change(request, False)
        if isinstance(answer, ApprovalGranted):
            self._enter(request)
        else:
            self._refuse(request, answer or ApprovalRefused(request_id=request.request_id, reason=NO_ANSWER))
