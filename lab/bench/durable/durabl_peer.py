"""Peer on durabl: the turn is a workflow of two model calls and two tools; the command is run by the mode given.

Posting is idempotent, since Discord knows nonces. Of the command's effect no record but the peer's exists: by default
such a tool runs at most once; an idempotent one runs again.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

from durabl import ModelCall, Runtime, ToolCall, tool, workflow  # type: ignore[import-not-found]

from lab.bench.durable.peer_steps import command_of, first_message, result_message, steps_of_arguments, turns


def play(ctx: Any, turn: int) -> Generator[Any, Any, None]:
    """Yield the steps of a turn."""
    messages: list[dict[str, Any]] = [first_message(turn)]
    request = yield ModelCall(json.dumps(messages))
    call = request["tool_calls"][0]
    output = yield ToolCall("run", {"command": command_of(call)})
    answer = yield ModelCall(json.dumps([*messages, request, result_message(call, output)]))
    yield ToolCall("post", {"text": answer["content"], "nonce": ctx.run_id}, idempotency_key=ctx.run_id)


def main() -> None:
    """Resume interrupted workflows, and run a workflow for each turn."""
    steps = steps_of_arguments()
    tools = [tool(steps.run, name="run", mode=steps.mode), tool(steps.post, name="post", mode="IDEMPOTENT")]
    defined = workflow(play)
    runtime = Runtime(
        db=f"{steps.folder}/durabl.sqlite",
        llm=lambda prompt, **_: steps.ask(json.loads(prompt)),
        tools=tools,
        workflows=[defined],
    )
    steps.report_ready()
    for state in runtime.resume_all():
        if state.status == "DEAD_LETTERED":
            steps.report_dead_letter(int(state.run_id.partition("-")[2]))
    for turn in turns():
        runtime.start(defined, {"turn": turn}, run_id=f"turn-{turn}")
