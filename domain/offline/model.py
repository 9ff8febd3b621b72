"""Offline model: rules that answer without a configured language model.

The offline model is called, given tools and given tool results exactly as a real model is, so everything around is
the real program. The same conversation always gets the same answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from shlex import join

from domain.offline.asking import question_of
from domain.offline.files import Words, file_wish, note_on_files, part_prompt, send_command
from domain.offline.memory import HEADER, Utterance, memories_of, quotes
from domain.offline.reminders import reminder_wishes
from domain.offline.skills import find_script
from domain.turn.prompt import NOT_KEPT
from messages.model import ChatMessage, Role, ToolCall, ToolSpec

OFFLINE_MODEL = "offline"
"""Name of the model in settings."""

INTRODUCTION = (
    "I am the offline model, a small set of fixed rules and no language model; to talk to a real one, set `model.name` "
    "in agent.toml (for example `anthropic/claude-sonnet-4-5`) and the provider's key in the environment."
)

HINT = (
    "Talking it over takes a real model; what I can do is run a command (`run: date`), set a reminder "
    "(`remind me in 5 minutes to stretch`) and quote what was said before."
)
NOTHING_FOUND = "Nothing that was said before and that I was given bears on it by its words."

BASH = "bash"
QUOTE_LIMIT_CHARS = 1500
"""Most characters of a command's output in an answer: with the frame the text fits one Discord message."""
GIST_LIMIT_CHARS = 120

_BLOCK_LINE = re.compile(r"INJECTED_CONTEXT_[A-Z0-9_]+")
_RUN_LINE = re.compile(r"run(?::[ \t]*(?P<plain>\S.*)|[ \t]+`(?P<ticked>[^`]+)`[ \t]*[.!]?[ \t]*)", re.IGNORECASE)
_REMINDERS_SCRIPT = "reminders/scripts/reminders.py"
_ENDING = re.compile(r"(?:\A|\n\n)\[(?P<how>(?:Exit code|Ended by signal|Killed:|Cancelled:)[^\n]*)\]\s*\Z")
"""Ending of a tool result after a failed command."""
_NO_RESULT = re.compile(r"(?P<how>Not run|Killed|Interrupted): ")
"""Beginning of a tool result whose command was not run, or ended in an unknown way."""
_REFERENCES = re.compile(r"\A(?:\[(?:output t\d|files?:? f\d|\d+ more files )[^\n]*\](?:\n|\Z))+")
"""Beginning of a result where outputs are objects: for the model, and not for people."""
_CODE_RUN = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class OfflineAnswer:
    """Answer of the offline model: words, and commands to run."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleInput:
    """Conversation as seen by a rule."""

    system_prompt: str
    messages: tuple[ChatMessage, ...]
    tools: frozenset[str]
    """Names of the offered tools."""

    @property
    def prompt(self) -> str:
        """Latest typed words, without the runtime's text before; empty without a message."""
        return self.words.typed

    @property
    def words(self) -> Words:
        """Latest typed words, with the names of attached files."""
        return part_prompt(prompt_of(self._newest.text)) if self._newest else Words("", ())

    @property
    def images(self) -> int:
        """Number of images with the latest words."""
        return len(self._newest.images) if self._newest else 0

    @property
    def _newest(self) -> ChatMessage | None:
        return next((m for m in reversed(self.messages) if m.role is Role.USER), None)

    @property
    def results(self) -> tuple[tuple[ToolCall | None, ChatMessage], ...]:
        """Tool results at the end of the conversation, in order, each with the call if the history has the call."""
        ending = len(self.messages)
        while ending and self.messages[ending - 1].role is Role.TOOL:
            ending -= 1
        calls = {call.id: call for call in self.messages[ending - 1].tool_calls} if ending else {}
        return tuple((calls.get(m.tool_call_id), m) for m in self.messages[ending:])


Rule = Callable[[RuleInput], OfflineAnswer | None]
"""Returns an answer, or None for a conversation outside the rule's subject."""


def answer(system_prompt: str, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> OfflineAnswer:
    """Next assistant message: the first rule's answer, introduced if the message is the window's first text."""
    conversation = RuleInput(system_prompt, tuple(messages), frozenset(tool.name for tool in tools))
    first = next(first for rule in RULES if (first := rule(conversation)) is not None)
    if not first.text or any(m.role is Role.ASSISTANT and m.text for m in messages):
        return first
    return OfflineAnswer(f"{INTRODUCTION}\n\n{first.text}", first.tool_calls)


def model_label(name: str) -> str:
    """Label of a model for a person who asks for the answering model."""
    return "offline (deterministic rule-based responder, no language model)" if name == OFFLINE_MODEL else name


def prompt_of(text: str) -> str:
    """Words written by a person, from a user message's `text`.

    Left out are the runtime's leading blocks (a name line, one line of JSON, a blank line) and the
    header with the writer's name.
    """
    text = _without_blocks(text)
    header = HEADER.match(text)
    return text[header.end() :] if header else text


def said_in(text: str) -> Utterance | None:
    """Writer, time and words of a user message; None without a header."""
    text = _without_blocks(text)
    header = HEADER.match(text)
    return Utterance(header["who"], header["at"], part_prompt(text[header.end() :]).typed) if header else None


def _without_blocks(text: str) -> str:
    while True:
        name, _, rest = text.partition("\n")
        if not _BLOCK_LINE.fullmatch(name):
            return text
        _, _, rest = rest.partition("\n")
        text = rest.removeprefix("\n")


def commands(prompt: str) -> tuple[str, ...]:
    """The commands that lines of `prompt` ask for, in order: ``run: CMD`` to the line's end, or ``run `CMD` ``."""
    matches = (_RUN_LINE.fullmatch(line.rstrip("\r")) for line in prompt.split("\n"))
    return tuple((m["plain"] or m["ticked"]).strip() for m in matches if m)


def _quote_results(conversation: RuleInput) -> OfflineAnswer | None:
    if not conversation.results:
        return None
    return OfflineAnswer("\n\n".join(_report(call, _bare_result(result.text)) for call, result in conversation.results))


def _run_commands(conversation: RuleInput) -> OfflineAnswer | None:
    requests = commands(conversation.prompt)
    if not requests:
        return None
    if BASH not in conversation.tools:
        return OfflineAnswer("I was asked to run a command, but no bash tool is offered here.")
    return _calls(conversation, requests)


def _calls(conversation: RuleInput, wanted: Sequence[str]) -> OfflineAnswer:
    """Answer without words that asks for commands."""
    turn = len(conversation.messages)
    return OfflineAnswer(
        "",
        tuple(
            ToolCall(id=f"offline_{turn}_{i}", name=BASH, arguments_json=json.dumps({"command": command}))
            for i, command in enumerate(wanted, 1)
        ),
    )


def _remember(conversation: RuleInput) -> OfflineAnswer | None:
    question = question_of(conversation.prompt)
    if question is None:
        return None
    spoken = [m.text for m in conversation.messages if m.role is Role.USER]
    question_said = said_in(spoken[-1])
    history = (utterance for text in reversed(spoken[:-1]) if (utterance := said_in(text)))
    text = quotes(question, question_said.who if question_said else "", history, memories_of(spoken[-1]))
    return OfflineAnswer(f"That brings to my mind what was said before:\n{text}") if text else None


def _acknowledge(conversation: RuleInput) -> OfflineAnswer:
    gist = " ".join(conversation.prompt.split())
    if len(gist) > GIST_LIMIT_CHARS:
        gist = gist[: GIST_LIMIT_CHARS - 1].rstrip() + "…"
    note = "" if NOT_KEPT in conversation.system_prompt else " and it is in this window's log"
    noted = f"I have read “{gist}”{note}." if gist else "There was no text in that message."
    if question_of(conversation.prompt) is not None:
        noted = f"{noted} {NOTHING_FOUND}"
    noted = " ".join(filter(None, (noted, note_on_files(conversation.words.files, conversation.images))))
    if BASH not in conversation.tools:
        return OfflineAnswer(noted)
    return OfflineAnswer(f"{noted} {HINT}")


def _set_reminder(conversation: RuleInput) -> OfflineAnswer | None:
    """Every wished reminder, each by a separate call; no call if a wish is not understood."""
    wishes = [wish for line in conversation.prompt.split("\n") for wish in reminder_wishes(line)]
    if not wishes:
        return None
    if rhythm := next((wish.rhythm for wish in wishes if wish.rhythm), ""):
        return OfflineAnswer(
            f"A reminder can come once, or every day, week or month; “{rhythm}” is none of these, so none was set."
        )
    if unread := next((wish.unread for wish in wishes if wish.unread), ""):
        return OfflineAnswer(
            "I understand one time, such as `at 9:00`, `tomorrow at 9:00`, `at 9:00 on 2026-12-01` or `in 20 minutes`; "
            f"what “{unread}” says beside it I don't, so no reminder was set."
        )
    script = find_script(conversation.system_prompt, _REMINDERS_SCRIPT)
    if BASH not in conversation.tools or not script:
        return OfflineAnswer("I was asked to set a reminder, but no reminders skill is offered here.")
    command = f"python3 -I {script} create"
    return _calls(conversation, [f"{command} {join(wish.arguments)}" for wish in wishes])


def _send_file(conversation: RuleInput) -> OfflineAnswer | None:
    file_name = next((file for line in conversation.prompt.split("\n") if (file := file_wish(line))), "")
    if not file_name:
        return None
    command = send_command(conversation.system_prompt, file_name)
    if BASH not in conversation.tools or not command:
        return OfflineAnswer("I was asked to send a file, but there is no skill for that here.")
    return _calls(conversation, [command])


RULES: tuple[Rule, ...] = (
    _quote_results,
    _run_commands,
    _set_reminder,
    _send_file,
    _remember,
    _acknowledge,
)
"""Rules in order of precedence; the last rule always answers."""


def _bare_result(result: str) -> str:
    """Result without the references above the text, if any."""
    return _REFERENCES.sub("", result) or result


def _report(call: ToolCall | None, result: str) -> str:
    if without := _NO_RESULT.match(result):
        return f"{_subject(call)} ({without['how'].lower()}):\n{_fence_output(result[without.end() :])}"
    ending = _ENDING.search(result)
    output = result[: ending.start()] if ending else result
    how = ending["how"].rstrip(".") if ending else "exit code 0"
    return f"{_subject(call)} ({how[0].lower()}{how[1:]}):\n{_fence_output(output.strip(chr(10)))}"


def _subject(call: ToolCall | None) -> str:
    command = _command_of(call) if call else ""
    if not command:
        return "The tool" if call is None else f"The tool {call.name!r}"
    first = command.split("\n", 1)[0]
    line = first if len(first) <= GIST_LIMIT_CHARS else first[: GIST_LIMIT_CHARS - 1] + "…"
    ticks = "`" * (_longest_code_run(line) + 1)
    return f"{ticks}{line}{ticks}" if ticks == "`" else f"{ticks} {line} {ticks}"


def _command_of(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments_json)
    except ValueError:
        return ""
    return str(arguments.get("command", "")) if isinstance(arguments, dict) else ""


def _fence_output(output: str) -> str:
    left_out = len(output) - QUOTE_LIMIT_CHARS
    tail = output if left_out <= 0 else output[-QUOTE_LIMIT_CHARS:]
    fence = "`" * max(3, _longest_code_run(tail) + 1)
    note = f"\n(the last {QUOTE_LIMIT_CHARS} of {len(output)} characters)" if left_out > 0 else ""
    return f"{fence}\n{tail}\n{fence}{note}"


def _longest_code_run(text: str) -> int:
    return max((len(run) for run in _CODE_RUN.findall(text)), default=0)
