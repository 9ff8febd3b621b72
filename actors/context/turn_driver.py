"""Turn driver: takes a turn from the person's words to the final answer: prepare, think, act, think again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from actors.context.asking.compaction import CompactionClient
from actors.context.asking.contributions import Contributions, question
from actors.context.asking.expansion import NOT_IN_TIME, NOT_NAMED, TOO_OFTEN, answer_text
from actors.context.asking.result_renderer import ResultRenderer
from actors.context.asking.slips import GAVE_UP, MOST_REPEATED, MOST_SLIPS, Slips
from actors.context.config import ContextConfig
from actors.context.host import WindowHost
from actors.context.model_choice import ModelChoice
from actors.context.presence import Presence, command_status
from actors.context.run_teller import RunTeller
from actors.context.turn_run import Phase, TurnRun, left_out_notice, result_meta, stand_in_notice
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.memory.expansion import not_expanded
from domain.text.answer.ending import missing_answer
from domain.text.wish import Wish, may_become_wish, wish_line
from domain.turn.bash_tool import BashArguments
from domain.turn.call_result import KILLED, NOT_RUN_ABORTED, NOT_RUN_LENGTH, round_refusal
from domain.turn.turn import Turn, messages_before
from messages.base import EventId, Message, RequestId, TurnId
from messages.model import (
    CancelModel,
    ChatMessage,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    StopReason,
    ToolCall,
    Usage,
)
from messages.shell import BashRefused, BashResult, CancelBash, RunBash
from messages.socket import Refused
from messages.turn import (
    CompactionReady,
    ExpandReference,
    Reference,
    ReferenceExpanded,
    RequestWorded,
    TurnContribution,
)


class TurnDriver:
    """State machine of at most one turn at a time; every step is recorded before any effect outside."""

    def __init__(
        self,
        host: WindowHost,
        config: ContextConfig,
        *,
        presence: Presence,
        choice: ModelChoice,
        on_boundary: Callable[[TurnRun], Sequence[Turn]],
        on_end: Callable[[TurnRun, str], None],
    ) -> None:
        """A driver at rest.

        Args:
            host: The actor of the window.
            config: Whom to ask, and the limits.
            presence: Shows people how the turn is.
            choice: Gives the model to ask.
            on_boundary: Called when all commands of a round have ended, before the model is asked again; what was said
                that is part of the turn from now on.
            on_end: Called once a turn has ended, with `answered`, `failed` or `aborted`.
        """
        self._host = host
        self._config = config
        self._presence = presence
        self._choice = choice
        self._on_boundary = on_boundary
        self._on_end = on_end
        contributors = config.takers(host.window, config.contributors)
        self._contributions = Contributions(contributors, config.referrers, config.max_expansions)
        self._slips = Slips(host, self._contributions, may_expand=bool(config.max_expansions))
        self.compaction = CompactionClient(host, config)
        self._unlogged = Usage()
        """Usage outside of turns, not recorded in an event yet."""
        self._teller = RunTeller(host)
        self._renderer = ResultRenderer(host, config)
        self.run: TurnRun | None = None

    def running(self) -> TurnId | None:
        """Turn in hand, if any."""
        return None if self.run is None else self.run.turn_id

    # ways in

    def begin(self, turn_id: TurnId) -> None:
        """Start the turn: show typing, and ask contributors before asking the model."""
        turn = self._host.conversation.turn(turn_id)
        self.run = run = TurnRun.of(turn, self._config.max_calls)
        run.usage, self._unlogged = self._unlogged, Usage()
        self._presence.begin(turn)
        self._teller.begin(turn)
        self._teller.hear(turn.said_last)
        self.compaction.ask_head(run, lambda: self._prepare(run))

    def count(self, usage: Usage) -> None:
        """Add usage on the window's behalf outside of turns."""
        if self.run is None:
            self._unlogged += usage
        else:
            self.run.count(usage)

    def take(self, message: Message) -> bool:
        """Take a message for a turn, except answers to the turn's own questions; False for any other message."""
        match message:
            case TurnContribution():
                self._take_contribution(message)
            case ModelDelta():
                self._show_progress(message)
            case RequestWorded() | Refused():
                self._renderer.take_reply(message)  # A late wording is of use to the next request.
            case ModelReply() | ModelFailed() | CompactionReady() | ReferenceExpanded() | BashResult() | BashRefused():
                pass  # An answer behind its deadline, or one to an earlier life.
            case _:
                return False
        return True

    def _take_contribution(self, reply: TurnContribution) -> None:
        """Take in a contribution; think when all have answered."""
        run = self.run
        if run is None or not run.awaits(reply.request_id, Phase.PREPARING):
            self._contributions.take_late(reply)
            return
        self._contributions.take(reply)
        if self._contributions.is_complete:
            self._think(run)

    def _show_progress(self, delta: ModelDelta) -> None:
        """Show the answer so far, unless the text may be a request for a record."""
        run = self.run
        if run is None or not run.awaits(delta.request_id, Phase.THINKING):
            return
        self._teller.write(delta.text)
        if not (self._config.max_expansions and may_become_wish(delta.text)):
            self._presence.write(delta.text)

    def _take_reply(self, run: TurnRun, reply: ModelReply | ModelFailed | None) -> None:
        """Take in the model's message: the end of the turn, or a round of tool calls."""
        if reply is None:
            self._give_up(run)
            return
        if isinstance(reply, ModelFailed):
            self.fail(f"I could not get an answer from the model: {reply.reason}")
            return
        run.count(reply.usage)
        reply, correction = self._slips.read(run, reply, lambda: self._messages(run))
        self._teller.reply(reply)
        if reply.stands_in and run.stand_in != reply.model:
            run.stand_in = reply.model
            run.notices.append(self._record(run, Kind.SYSTEM, *stand_in_notice(reply), sync=False))
        if reply.left_out:
            run.notices.append(self._record(run, Kind.SYSTEM, *left_out_notice(reply), sync=False))
        if run.slips > MOST_SLIPS:
            self.fail(GAVE_UP)
        elif correction:
            self._say_aside(run, reply.words, correction)
        elif reply.tool_calls:
            self._begin_round(run, reply)
        elif not reply.words.strip():
            self.fail(missing_answer(reply))
        elif (wished := self._slips.wish(run, reply)) is not None:
            self._expand(run, wished)
        else:
            self._record(run, Kind.AGENT, reply.words, {"final": True, **run.model_meta(reply)}, sync=True)
            self._end(run, "answered")

    def _take_record(self, run: TurnRun, reference: Reference, answer: ReferenceExpanded | Refused | None) -> None:
        """Show the model a requested record, or the reason of the failure."""
        text = not_expanded(reference, NOT_IN_TIME) if answer is None else answer_text(reference, answer)
        self._say_aside(run, wish_line(Wish(reference)), text)

    def _take_result(self, run: TurnRun, result: BashResult | BashRefused | None) -> None:
        """Take in the end of a command, or tell the model the reason why its command was not run."""
        if result is None:
            self._give_up(run)
        elif isinstance(result, BashRefused):
            self._call_ended(run, f"Not run: {result.reason}", {"outcome": "refused"}, is_error=True)
        else:
            run.last_command = "" if result.is_error else run.last_command
            run.last_output = result.text[-MOST_REPEATED:]
            self._call_ended(run, result.text, result_meta(result), is_error=result.is_error)

    def _give_up(self, run: TurnRun) -> None:
        """End a turn whose request was lost."""
        self._cancel_request(run)
        self.fail("I waited too long for an answer of my own parts and gave up. Please try again.")

    # ways out

    def fail(self, notice: str) -> None:
        """End the turn with a short notice, shown to the person and kept in the log."""
        if (run := self.run) is not None:
            self._close_round(run)
            meta: dict[str, MetaValue] = {"what": "failed", "notice": True, **run.take_usage()}
            self._record(run, Kind.SYSTEM, notice, meta, sync=True)
            self._end(run, "failed")

    def abort(self, reason: str, *, leaves_words: bool = True) -> None:
        """End the turn on request; stop all output, and without `leaves_words` remove all shown words."""
        if (run := self.run) is not None:
            self._cancel_request(run)
            self._close_round(run)
            self._record(run, Kind.SYSTEM, reason, {"what": "aborted", **run.take_usage()}, sync=True)
            self._end(run, "aborted", reason if leaves_words else "")

    def drop(self) -> None:
        """Forget the turn without a word: the log cannot be written, or the actor dies."""
        run, self.run = self.run, None
        if run is not None:
            self._cancel_request(run)
            self._presence.drop()
            self._teller.end("lost")

    # steps

    def _prepare(self, run: TurnRun) -> None:
        """Ask contributors for context to the last words."""
        contributors = self._contributions.begin(asks=not run.is_off_record)
        run.phase, run.request_id = Phase.PREPARING, RequestId(self._host.new_id())
        for contributor in contributors:
            self._host.tell(contributor, question(self._host, run))
        if self._contributions.is_complete:
            self._think(run)
            return
        deadline_s = self._contributions.deadline_s(self._config, self._host.conversation.request_turns(run.turn_id))
        run.wait_id = self._host.wait(deadline_s, lambda: self._think_without(run))

    def _think_without(self, run: TurnRun) -> None:
        """Continue without the late contributors."""
        self._contributions.give_up()
        self._think(run)

    def _think(self, run: TurnRun) -> None:
        self._host.withdraw(run.wait_id)
        self._teller.think()
        if run.calls:
            self._act(run)
            return
        self._renderer.ask_wording(run, self._contributions.block(), lambda: self._ask_model(run))

    def _ask_model(self, run: TurnRun) -> None:
        run.phase = Phase.THINKING
        run.system_prompt = run.system_prompt or self._config.system_prompt(
            self._host.window, self._contributions.newest(), may_run=run.may_run, tables=run.tables, is_kept=run.is_kept
        )
        messages = self._messages(run)
        before, before_last = messages_before(self._host.conversation.request_turns(run.turn_id))
        make = partial(
            ModelRequest,
            window=self._host.window,
            system_prompt=run.system_prompt,
            messages=messages,
            turn_messages=len(messages) - before,
            recent_messages=len(messages) - before_last,
            tools=(self._config.tool,) if run.may_run and self._config.tool else (),
            model=self._choice.asked_for(run.tables),
            run_id=run.turn_id,
            attachments=self._config.attachments(self._host.window),
        )
        deadline_s = self._config.model_deadline_s
        run.request_id = self._host.ask(self._config.model, make, deadline_s, partial(self._take_reply, run))

    def _messages(self, run: TurnRun) -> tuple[ChatMessage, ...]:
        """Messages of a request for the turn."""
        return self._host.conversation.request(
            run.turn_id, self._contributions.block(), run.asides, self._renderer.wording(run), self.compaction.head
        )

    def _expand(self, run: TurnRun, wished: Wish) -> None:
        """Look up the record that the model asked for; a wish too many or for anything else gets words instead."""
        run.expansions += 1
        reference, most = wished.reference, self._config.max_expansions
        owner = None if reference is None else self._contributions.owner_of(reference)
        if run.expansions > most + 1:
            self.fail("The model asked to see more memories again and again instead of answering. Please ask again.")
        elif reference is None or owner is None or run.expansions > most:
            reason = NOT_NAMED if run.expansions <= most else TOO_OFTEN.format(most=most)
            self._say_aside(run, wish_line(wished), not_expanded(reference, reason))
        else:
            run.phase = Phase.EXPANDING
            take = partial(self._take_record, run, reference)
            make = partial(ExpandReference, window=self._host.window, path=reference.path, line=reference.line)
            run.request_id = self._host.ask(owner, make, self._config.expansion_deadline_s, take)

    def _say_aside(self, run: TurnRun, answer: str, text: str) -> None:
        """Ask the model again, with the model's words and the reply after all logged steps of this turn."""
        self._teller.rest()
        self._teller.look_up(text)
        run.add_aside(len(self._host.conversation.turn(run.turn_id).steps), answer, text)
        self._think(run)

    def _begin_round(self, run: TurnRun, reply: ModelReply) -> None:
        turn = self._host.conversation.turn(run.turn_id)
        if refusal := round_refusal(turn, len(reply.tool_calls), self._config.max_rounds, self._config.max_calls):
            self.fail(refusal)
            return
        run.calls_left = self._config.max_calls - turn.calls
        event_id = self._record(run, Kind.AGENT, reply.text, {"final": False, **run.model_meta(reply)}, sync=False)
        run.keep_thoughts(event_id, reply)
        for call in reply.tool_calls:
            meta: dict[str, MetaValue] = {"call_id": call.id, "tool": call.name}
            self._record(run, Kind.TOOL_CALL, call.arguments_json, meta, sync=call is reply.tool_calls[-1])
        run.calls.extend(reply.tool_calls)
        self._presence.note(reply.text)
        if reply.stop_reason is StopReason.LENGTH:
            self._close_calls(run, NOT_RUN_LENGTH)
        self._act(run)

    def _act(self, run: TurnRun) -> None:
        """Run the next call of the round; impossible calls are answered at once."""
        run.phase = Phase.ACTING
        while run.calls:
            arguments = run.next_call(self._config, self._contributions.skills())
            if isinstance(arguments, BashArguments):
                self._run_bash(run, arguments)
                return
            self._record_result(run, run.calls.popleft(), arguments, {"outcome": "refused"}, is_error=True)
        if self._host.conversation.is_overgrown(run.turn_id):
            self.fail("This turn has grown longer than the model can be shown, so I stopped it. Ask me to go on.")
            return
        self._presence.rest()
        self._teller.rest()
        if joined := self._on_boundary(run):
            for each in joined:
                self._teller.hear(each)
            self._prepare(run)
        else:
            self._think(run)

    def _run_bash(self, run: TurnRun, arguments: BashArguments) -> None:
        run.calls_left -= 1
        run.last_command = arguments.command
        make = partial(
            RunBash,
            window=self._host.window,
            command=arguments.command,
            timeout_s=arguments.timeout_s,
            audience=run.audience,
            folders=self._contributions.folders(),
            turn_id=run.turn_id,
            is_again=run.take_again(),
        )
        deadline_s = self._config.shell_deadline_s
        run.request_id = self._host.ask(self._config.shell, make, deadline_s, partial(self._take_result, run))
        self._teller.call(run.calls[0])
        self._presence.work(command_status(arguments.command))

    def _call_ended(self, run: TurnRun, text: str, meta: dict[str, MetaValue], *, is_error: bool) -> None:
        self._record_result(run, run.calls.popleft(), text, meta, is_error=is_error)
        self._act(run)

    def _close_round(self, run: TurnRun) -> None:
        """Answer the calls of an abandoned round; the first call was running."""
        if run.calls and run.phase is Phase.ACTING:
            self._record_result(run, run.calls.popleft(), KILLED, {"outcome": "aborted"}, is_error=True)
        self._close_calls(run, NOT_RUN_ABORTED)

    def _close_calls(self, run: TurnRun, text: str) -> None:
        """Answer every call of the round without a result, because no request may hold an unanswered call."""
        while run.calls:
            self._record_result(run, run.calls.popleft(), text, {"outcome": "not-run"}, is_error=True)

    def _record_result(
        self, run: TurnRun, call: ToolCall, text: str, meta: Mapping[str, MetaValue], *, is_error: bool
    ) -> None:
        fields: dict[str, MetaValue] = {"call_id": call.id, "tool": call.name, "error": is_error, **meta}
        self._record(run, Kind.TOOL_RESULT, text, fields, sync=self._config.resumes_calls and bool(run.calls))
        self._teller.result(call, text, meta.get("outcome", ""), is_error=is_error)

    def _record(self, run: TurnRun, kind: Kind, text: str, meta: Mapping[str, MetaValue], *, sync: bool) -> EventId:
        run.logged.append(self._host.record(kind, text, {"turn": run.turn_id, **meta}, sync=sync))
        return run.logged[-1].id

    def _cancel_request(self, run: TurnRun) -> None:
        """Stop waiting; the model and the shell are told to stop."""
        self._host.withdraw(run.request_id)
        self._host.withdraw(run.wait_id)
        if run.phase is Phase.THINKING:
            self._host.tell(self._config.model, CancelModel(request_id=run.request_id))
        elif run.phase is Phase.ACTING:
            self._host.tell(self._config.shell, CancelBash(request_id=run.request_id))

    def _end(self, run: TurnRun, outcome: str, note: str = "") -> None:
        self.run = None
        turn = self._host.conversation.turn(run.turn_id)
        self._presence.end(outcome, note, [turn.message_id, *turn.joined])
        self._teller.end(outcome, "" if outcome == "answered" else run.logged[-1].text)
        self._on_end(run, outcome)
