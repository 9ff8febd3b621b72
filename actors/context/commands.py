"""Slash commands of a window: begin anew, stop, choose a model, count."""

from __future__ import annotations

from actors.part import Answer, Argument, ArgumentValues, Command, Invocation, Press, Wording
from domain.turn.typed_command import STOP_PREFIX
from messages.context import (
    ChooseModel,
    ModelChosen,
    NewWindowStarted,
    StartNewWindow,
    StopTurn,
    TurnStopped,
)

STARTED = "New window: the conversation starts afresh. Earlier messages stay in the log."
STOPPED = "Stopped."
LONGEST_MODEL = 100


def model_commands(models: tuple[str, ...]) -> tuple[Command[ModelChosen], ...]:
    """`/model`, if there is a choice.

    Args:
        models: Models to choose from, the usual model first.
    """
    if len(models) < 2:
        return ()
    name = Argument(
        name="name",
        description="The model; without a name, the current model is shown",
        longest=LONGEST_MODEL,
        required=False,
        choices=models,
    )
    return (
        Command(
            name="model",
            description="Show or choose the model that answers here",
            arguments=(name,),
            request=_choose,
            reply=ModelChosen,
            answer=_word_choice,
        ),
    )


def _choose(call: Invocation, values: ArgumentValues) -> ChooseModel:
    return ChooseModel(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        asked_by=call.person_id,
        model=values["name"].strip(),
    )


def _word_choice(reply: ModelChosen, _wording: Wording) -> Answer:
    words = f"From now on `{reply.model}` answers here." if reply.is_new else f"`{reply.model}` answers here."
    others = [f"`{model}`" for model in reply.choices if model != reply.model]
    return Answer(f"{words} You may choose {' or '.join(others)} instead." if others else words)


def _start(call: Invocation, _values: ArgumentValues) -> StartNewWindow:
    return StartNewWindow(
        request_id=call.request_id, reply_to=call.reply_to, window=call.window, asked_by=call.person_id
    )


def _stop(call: Invocation, values: ArgumentValues) -> StopTurn:
    return StopTurn(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        asked_by=call.person_name,
        turn_id=values.get("id", ""),
    )


NEW = Command(
    name="new",
    description="Start a new conversation window here",
    request=_start,
    reply=NewWindowStarted,
    answer=lambda _reply, _wording: Answer(STARTED),
    refused="No new window",
)
STOP = Command(
    name="stop",
    description="Stop the answer in progress",
    request=_stop,
    reply=TurnStopped,
    answer=lambda _reply, _wording: Answer(STOPPED),
    refused="Nothing was stopped",
)
COMMANDS = (NEW, STOP)
PRESSES = (
    Press(
        prefix=STOP_PREFIX,
        is_urgent=True,
        request=_stop,
        reply=TurnStopped,
        answer=lambda _reply, _wording: Answer(STOPPED),
        refused="Nothing was stopped",
    ),
)
