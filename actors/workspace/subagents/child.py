"""SubagentActor: a run of a sub-agent, from the task to the last words."""

from __future__ import annotations

from collections import deque
from functools import partial

from actors.kernel import Actor, Then, not_understood
from actors.workspace.subagents.config import SubagentConfig
from actors.workspace.subagents.talk import Talk
from domain.turn.bash_tool import NOT_RUN, BashArguments, bash_tool, fault_of_timeout, read_call
from domain.turn.call_result import NOT_RUN_LENGTH, TOO_MANY, TURNED_OFF
from domain.workspace.subagents.prompt import last_words_wanted
from messages.base import Message, RequestId, Window
from messages.model import (
    CancelModel,
    ModelAnswer,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    StopReason,
    ToolCall,
)
from messages.shell import BashRefused, BashResult, CancelBash, CommandReply, RunBash
from messages.workspace import BeginRun, ChildEnded, EndRun, RunAwoke, SubagentCommand

DONE, FAILED, STOPPED = "done", "failed", "stopped"
EMPTY = "the model gave an empty answer"
ENDINGS = {
    StopReason.LENGTH: "its answer was cut off at the model's output limit",
    StopReason.FILTER: "its answer was ended by the content filter of the model's provider",
    StopReason.REFUSAL: "the model refused to answer",
    StopReason.MALFORMED: "its answer ended with a call that cannot be read",
}
"""Notes about answers whose end was not the model's choice."""
OF_TURNS = "it has had the {most} answers of the model that it may have (maxTurns)"
OF_CALLS = "it has asked for more than the {most} commands that it may run (maxToolCalls)"
OF_ROOM = "it has grown longer than the model can be shown"
OF_TIME = "it took longer than the {most:g} s that it may take (maxWallTimeSec)"


class SubagentActor(Actor):
    """Single run: thinks, runs commands one after the other, thinks again, and reports its ending once.

    Owns: the messages for its model; no file.
    Asks: the model, and the shell, on behalf of its parent's window but in a lane of its own. The run's own time limit
    ends unanswered questions.
    Crashes on: its own faults. The run is lost then, and the workspace learns this from the actor's second start.
    """

    def __init__(self, key: str, config: SubagentConfig) -> None:
        """Begin without a task.

        Args:
            key: `<surface>/<id>/<run>`.
            config: The same for all.

        Raises:
            ValueError: the key names no run of a window.
        """
        super().__init__()
        window, _, self._run = key.rpartition("/")
        self._window = Window.from_key(window)
        self._config = config
        self._work: BeginRun | None = None
        """Task in progress; None before and after."""
        self._ended: ChildEnded | None = None
        self._time = RequestId("")
        """Id of the wait for the end of the run's time."""
        self._awaited = RequestId("")
        """Id of the request to the model or the shell."""
        self._partial = ""
        """Text so far of an unfinished answer."""
        self._calls: deque[ToolCall] = deque()
        """Calls without a result; a running command belongs to the first."""
        self._asked_calls = 0
        self._is_acting = False
        self._limit = ""
        """Limit reached, so the model is asked one last time; empty before a limit."""

    def on_start(self) -> None:
        """Tell the workspace about the actor's start; a second message means a lost run."""
        self.tell(self._config.workspace_of(self._window), RunAwoke(run=self._run))

    def handle(self, message: SubagentCommand | ModelAnswer | CommandReply) -> None:
        """Begin, end, or note the text so far of an answer."""
        match message:
            case BeginRun():
                self._begin(message)
            case EndRun(reason=reason):
                self._break_off(reason)
            case ModelDelta(request_id=request_id, text=text):
                if request_id == self._awaited:
                    self._partial = text
            case ModelReply() | ModelFailed() | BashResult() | BashRefused():
                return  # An answer behind a cancellation.
            case _:
                not_understood(message)
        self.in_progress = self._work is not None

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer as `handle` takes a message."""
        then(answer)
        self.in_progress = self._work is not None

    def on_stop(self) -> None:
        """Cancel the request in progress, since no actor would hear its answer."""
        if self._work is not None:
            self._cancel()

    # beginning and end

    def _begin(self, work: BeginRun) -> None:
        if self._work is not None or self._ended is not None:
            return
        self._work = work
        self._talk = Talk(work.run, work.prompt, self.now(), self._config.limit_chars)
        self._role = work.role
        self._can_run = work.role.can_run and work.role.max_calls > 0 and self._config.can_run
        self._prompt = self._config.system_prompt(self._window, work.role, can_run=self._can_run)
        most_s = min(work.role.bash_timeout_s, self._config.max_timeout_s)
        self._tool = bash_tool(min(self._config.default_timeout_s, most_s), most_s)
        self._most_s = most_s
        self._time = self.wait(work.role.max_wall_s, lambda: self._break_off(OF_TIME.format(most=work.role.max_wall_s)))
        self._think()

    def _break_off(self, reason: str) -> None:
        """Kill running commands, and end with the words so far; repeated questions get the same answer."""
        if self._work is None:
            if self._ended is not None and reason:
                self.tell(self._config.workspace_of(self._window), self._ended)
            return
        self._cancel()
        self._talk.last_words = "\n\n".join(filter(None, (self._talk.last_words, self._partial.strip())))
        self._end(STOPPED, reason)

    def _cancel(self) -> None:
        self.withdraw(self._awaited)
        if self._is_acting:
            self.tell(self._config.shell, CancelBash(request_id=self._awaited))
        else:
            self.tell(self._config.model, CancelModel(request_id=self._awaited))

    def _fail(self, reason: str) -> None:
        if self._limit:
            self._end(STOPPED, f"{self._limit}; its last words are missing: {reason}")
        else:
            self._end(FAILED, reason)

    def _end(self, state: str, note: str = "") -> None:
        work, self._work = self._work, None
        if work is None:
            return
        self.withdraw(self._time)
        self._awaited = RequestId("")
        self._calls.clear()
        self._ended = ChildEnded(
            run=self._run,
            state=state,
            text=self._talk.last_words,
            note=note,
            turns=self._talk.replies,
            calls=self._asked_calls,
            usage=self._talk.usage,
        )
        self.tell(work.reply_to, self._ended)

    # thinking

    def _think(self) -> None:
        """Ask the model; without a tool if there is no tool, or a limit is reached."""
        self._is_acting, self._partial = False, ""
        make = partial(
            ModelRequest,
            window=self._window,
            system_prompt=self._prompt,
            messages=self._talk.messages,
            tools=(self._tool,) if self._can_run and not self._limit else (),
            model=self._role.model,
            purpose=_lane(self._run),
        )
        self._awaited = self.ask(self._config.model, make, None, self._take_answer)

    def _take_answer(self, answer: ModelReply | ModelFailed) -> None:
        self._partial = ""
        if isinstance(answer, ModelFailed):
            self._fail(f"the model gave no answer: {answer.reason}")
            return
        self._talk.count(answer)
        if self._limit:
            self._end(STOPPED, self._limit)
        elif answer.tool_calls:
            self._act_on(answer)
        elif not answer.words.strip():
            self._fail(ENDINGS.get(answer.stop_reason, EMPTY))
        else:
            self._end(DONE, ENDINGS.get(answer.stop_reason, ""))

    # commands

    def _act_on(self, reply: ModelReply) -> None:
        self._talk.add_reply(reply)
        self._calls.extend(reply.tool_calls)
        if reply.stop_reason is StopReason.LENGTH:
            while self._calls:
                self._talk.add_result(self._calls.popleft(), NOT_RUN_LENGTH)
        self._act()

    def _act(self) -> None:
        """Run the next command; unrunnable calls are answered at once. Think when all have a result."""
        is_too_many = False
        while self._calls:
            is_too_many = self._can_run and self._asked_calls >= self._role.max_calls
            arguments = TOO_MANY.format(most=self._role.max_calls) if is_too_many else self._arguments(self._calls[0])
            if isinstance(arguments, BashArguments):
                self._run_bash(arguments)
                return
            self._talk.add_result(self._calls.popleft(), arguments)
        if is_too_many:
            self._limit = OF_CALLS.format(most=self._role.max_calls)
        elif self._talk.replies >= self._role.max_turns:
            self._limit = OF_TURNS.format(most=self._role.max_turns)
        elif self._talk.is_overgrown:
            self._limit = OF_ROOM
        if self._limit:
            self._talk.tell(last_words_wanted(self._limit))
        self._think()

    def _arguments(self, call: ToolCall) -> BashArguments | str:
        """Arguments of a call, or the reason, for the model, not to run it."""
        if not self._can_run:
            return TURNED_OFF
        self._asked_calls += 1
        arguments = read_call(call)
        if isinstance(arguments, str) or arguments.timeout_s is None:
            return arguments
        fault = fault_of_timeout(arguments.timeout_s, self._most_s)
        return f"{NOT_RUN}{fault}" if fault else arguments

    def _run_bash(self, arguments: BashArguments) -> None:
        work = self._work
        if work is None:
            return
        self._is_acting = True
        usual_s = min(self._config.default_timeout_s, self._most_s)
        make = partial(
            RunBash,
            window=self._window,
            command=arguments.command,
            timeout_s=usual_s if arguments.timeout_s is None else arguments.timeout_s,
            audience=work.audience,
            folders=work.folders,
            lane=_lane(self._run),
            turn_id=work.turn_id,
        )
        self._awaited = self.ask(self._config.shell, make, None, self._take_result)

    def _take_result(self, result: BashResult | BashRefused) -> None:
        text, path = (
            (f"{NOT_RUN}{result.reason}", "")
            if isinstance(result, BashRefused)
            else (result.text, result.full_output_path)
        )
        self._talk.add_result(self._calls.popleft(), text, path)
        self._act()


def _lane(run: str) -> str:
    return f"subagent {run}"
