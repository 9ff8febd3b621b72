"""A model's thoughts before its calls: with it to the turn's end, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from messages.model import ModelRequest, OwnThoughts, StopReason
from tests.actors.context.rig import Rig, bash_call, reply

FIELDS = '{"reasoning_content": "The secret thought."}'


def thoughts_in(request: ModelRequest) -> list[OwnThoughts | None]:
    return [message.thoughts for message in request.messages if message.tool_calls]


@pytest.mark.req("X-221")
def test_thoughts_go_with_their_call_within_the_turn_and_are_never_logged_or_shown(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    try:
        rig.say("How many files?", 1)
        for number in (1, 2):
            (request,) = rig.requests()
            answer = reply(request, "", bash_call("ls", f"call-{number}"), stop=StopReason.TOOL_CALLS)
            rig.system.tell(request.reply_to, msgspec.structs.replace(answer, thoughts_json=FIELDS))
            rig.system.run()
            rig.finish_command("a.txt")
        own = OwnThoughts(model="scripted", fields_json=FIELDS)
        assert thoughts_in(rig.answer("One file.")) == [own, own]
        shown = rig.deliver().text
        rig.say("And now?", 2)
        assert thoughts_in(rig.answer("Still one.")) == [None, None]
        logged = "".join(path.read_text() for path in rig.logs())
        assert "One file." in logged
        assert "secret thought" not in logged + shown
    finally:
        rig.stop()
