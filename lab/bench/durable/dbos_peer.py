"""Peer on DBOS: the turn is a workflow of four steps, whose id makes a second start of the same turn no second run."""

from __future__ import annotations

from typing import Any

from dbos import DBOS, SetWorkflowID  # type: ignore[import-not-found]

from lab.bench.durable.peer_steps import command_of, first_message, result_message, steps_of_arguments, turns


def main() -> None:
    """Launch DBOS, which resumes interrupted workflows, and start a workflow for each turn."""
    steps = steps_of_arguments()
    url = f"sqlite:///{steps.folder}/dbos.sqlite"
    DBOS(config={"name": "turns", "system_database_url": url, "log_level": "ERROR", "run_admin_server": False})
    # A bound method takes no attributes, which DBOS sets on what it decorates.
    ask = DBOS.step(name="ask")(lambda messages: steps.ask(messages))
    run = DBOS.step(name="run")(lambda command: steps.run(command))
    post = DBOS.step(name="post")(lambda text, nonce: steps.post(text, nonce))

    def play(turn: int) -> str:
        messages: list[dict[str, Any]] = [first_message(turn)]
        request = ask(messages)
        call = request["tool_calls"][0]
        output = run(command_of(call))
        answer = ask([*messages, request, result_message(call, output)])
        identifier: str = post(answer["content"], DBOS.workflow_id)
        return identifier

    workflow = DBOS.workflow(name="play")(play)
    DBOS.launch()
    steps.report_ready()
    for turn in turns():
        with SetWorkflowID(f"turn-{turn}"):
            DBOS.start_workflow(workflow, turn)
