"""Questions that are edited while they wait, on the whole agent."""

from __future__ import annotations

from pathlib import Path

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage, bot_texts
from tests.patience import eventually


def test_the_command_of_a_waiting_question_is_run_by_its_new_words(tmp_path: Path) -> None:
    """Exenifix/AIAS#23, vutfitdiscord/rubbergod#92: an edit while messages wait is taken for no edit, or for one more."""
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        try:
            server.say(GENERAL_ID, "run: sleep 2; echo first")
            waiting, gone = server.say(GENERAL_ID, "run: echo old >> f"), server.say(GENERAL_ID, "run: echo gone >> f")
            for text in ("run: echo middle >> f", "run: echo new >> f"):
                server.edit(GENERAL_ID, waiting, text)
            server.edit(GENERAL_ID, gone, "run: echo really gone >> f")
            server.delete(GENERAL_ID, gone)
            server.say(GENERAL_ID, "run: echo content: $(cat f)")
            eventually(lambda: any("content: " in text for text in bot_texts(server)))
        finally:
            stage.stop()
        shown = "\n".join(bot_texts(server))
        assert "content: new" in shown
        assert not {"old", "middle", "gone"} & set(shown.split())
