"""Compaction of a window's history: cuts, and the words of another part at the head, asked for before each cut."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from actors.context.config import ContextConfig
from actors.context.host import WindowHost
from actors.context.turn_run import Phase, TurnRun
from domain.log.event import Kind
from domain.turn.prompt import is_block
from domain.turn.trimming import CUT, TrimPlan
from messages.base import Address, RequestId, TurnId, flaw_of
from messages.socket import Refused
from messages.turn import BeforeTrim, CompactWindow, TrimReady, WindowCompacted

log = logging.getLogger(__name__)

KEPT_BY_COMMAND = 2
"""Turns that stay when a user asks for a cut."""
NOT_CUT = "the history was not cut: {reason}"


class Trims:
    """Asker of one window. Whatever becomes of the question, the turn goes on, in bounded time.

    What stands at the head of the history is the same in all requests until the next cut, or until words were taken
    back. Turns whose cut was not agreed on are left out of requests, and asked about again.
    """

    def __init__(self, host: WindowHost, config: ContextConfig) -> None:
        """Begin without a question.

        Args:
            host: The actor of the window.
            config: Whom to ask, and how long to wait.
        """
        self._host = host
        self._config = config
        self._asked_about: tuple[str, int, str] | None = None
        """Log, withdrawals and last cut that the head belongs to; None before the first question."""
        self._plan: TrimPlan | None = None
        self._let_pass = False
        """True if the last cut was asked about in vain, so that the turn does not wait for the next."""
        self._compaction: tuple[CompactWindow, RequestId] | None = None
        self.head = ""

    @property
    def is_busy(self) -> bool:
        """True while a compaction by command is under way."""
        return self._compaction is not None

    def begin(self, run: TurnRun, *, then: Callable[[], None]) -> bool:
        """Ask for the head of the history, if the head may have changed or turns have to go.

        Args:
            run: The turn.
            then: Called when the turn goes on.

        Returns:
            True if the turn waits; else `then` is not called.
        """
        if self._config.trim_gate is None:
            return False
        if self._asked_about is not None and self._asked_about[0] != self._host.log_path:
            self.head = ""
        self._plan = self._host.conversation.trimming.plan(run.turn_id)
        if self._plan is None and self._asked_about == self._subject:
            return False
        make = partial(self._question, self._plan, run.audience, may_run=run.may_run)
        waits = self._plan is not None and not self._let_pass
        wait_s = self._config.trim_deadline_s if waits else self._config.trim_glance_s
        run.phase = Phase.TRIMMING
        gate = self._config.trim_gate(self._host.window)
        run.request_id = self._host.ask(gate, make, wait_s, partial(self._take_head, then))
        return True

    def _take_head(self, then: Callable[[], None], reply: TrimReady | Refused | None) -> None:
        self._adopt(reply)
        then()

    def _adopt(self, reply: TrimReady | Refused | None) -> None:
        """Take the answer that a turn waits for; an unsound one counts as none."""
        plan, self._plan = self._plan, None
        ready = self._checked(reply)
        if ready is None:
            self._go_without(plan)
            return
        self.head, self._let_pass = ready.handover, False
        if plan is not None and ready.cut:
            self._cut(plan)
        elif plan is not None:
            self._host.conversation.trimming.leave_out(plan)
        self._asked_about = self._subject

    # by command

    def compact(self, command: CompactWindow) -> None:
        """Cut the history on a user's command, when the part is ready."""
        plan = self._host.conversation.trimming.plan_but(KEPT_BY_COMMAND)
        if self._config.trim_gate is None:
            self._refuse(command, "that is not switched on here")
        elif self._compaction is not None:
            self._refuse(command, "that is being done already")
        elif plan is None:
            self._refuse(command, f"there are no more than {KEPT_BY_COMMAND} turns")
        else:
            make = partial(self._question, plan, plan.cut[-1].audience, words=command.words)
            gate, deadline_s = self._config.trim_gate(self._host.window), self._config.trim_deadline_s
            self._compaction = command, self._host.ask(gate, make, deadline_s, partial(self._compact, command, plan))

    def _compact(self, command: CompactWindow, plan: TrimPlan, reply: TrimReady | Refused | None) -> None:
        """Cut, or tell why not, once the part has answered or is late."""
        self._compaction = None
        ready = self._checked(reply)
        if ready is None or not ready.cut:
            said = reply.reason if isinstance(reply, Refused) else ready.trouble if ready is not None else ""
            self._refuse(command, NOT_CUT.format(reason=said or "nobody said in time what is to be kept of it"))
            return
        self.head = ready.handover
        self._cut(plan)
        self._asked_about = self._subject
        done = WindowCompacted(request_id=command.request_id, cut_turns=len(plan.cut), kept_turns=plan.kept)
        self._host.tell(command.reply_to, done)

    def forget(self) -> None:
        """Forget all knowledge of the history: another log begins, or this one is lost."""
        compaction, self._compaction = self._compaction, None
        if compaction is not None:
            self._host.withdraw(compaction[1])
            self._refuse(compaction[0], NOT_CUT.format(reason="the window began anew"))
        self._asked_about, self._plan, self.head = None, None, ""

    # the parts of the above

    @property
    def _subject(self) -> tuple[str, int, str]:
        conversation = self._host.conversation
        return self._host.log_path, conversation.withdrawals, conversation.trimming.kept_from

    def _question(
        self,
        plan: TrimPlan | None,
        audience: str,
        request_id: RequestId,
        reply_to: Address,
        *,
        words: str = "",
        may_run: bool = True,
    ) -> BeforeTrim:
        host = self._host
        cut = plan.cut if plan is not None else ()
        return BeforeTrim(
            request_id=request_id,
            reply_to=reply_to,
            window=host.window,
            log=host.log_path,
            kept_from=host.conversation.trimming.kept_from,
            first_kept=plan.first_kept if plan is not None else TurnId(""),
            spoken=host.spoken(host.log_path, cut[0].id, cut[-1].id) if cut else (),
            words=words,
            audience=audience,
            may_run=may_run,
        )

    def _checked(self, reply: TrimReady | Refused | None) -> TrimReady | None:
        """Reply as it may be used; None for a late or unsound reply."""
        if reply is None:
            log.warning("%s: nobody said in time what is kept of a history that is cut", self._host.address)
            return None
        flaw = flaw_of(reply)
        if not flaw and isinstance(reply, TrimReady) and reply.handover and not is_block(reply.handover):
            flaw = "the handover is not the line INJECTED_CONTEXT_<NAME> and one line of JSON"
        if flaw or isinstance(reply, Refused):
            log.warning("%s: what is kept of a history is not known: %s", self._host.address, flaw or reply)
            return None
        return reply

    def _cut(self, plan: TrimPlan) -> None:
        words = f"{len(plan.cut)} earlier turns are shown to the model no more"
        self._host.record(Kind.SYSTEM, words, {"what": CUT, "first_kept": plan.first_kept}, sync=True)

    def _go_without(self, plan: TrimPlan | None) -> None:
        if plan is not None:
            self._let_pass = True
            self._host.conversation.trimming.leave_out(plan)

    def _refuse(self, command: CompactWindow, reason: str) -> None:
        self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=reason))
