"""Documents with the whole agent: read in the sandbox, shown to the model and to commands, and forgotten."""

from __future__ import annotations

import pytest

from lab.playground.world.defaults import GENERAL_ID
from tests.actors.shell.documents.making import pdf, word
from tests.e2e.stage import Stage
from tests.e2e.test_forget import confirm, holders, read
from tests.e2e.test_off_record import find_planted, switch
from tests.patience import PATIENCE_S

HERON = "the heron nests behind the mill of Karlstad"
PAGES = (f"first of all {HERON}", "x" * 100, "the last page says aardvark")


@pytest.mark.req("X-265")
def test_a_pdf_is_read_by_the_model_and_by_commands_and_goes_with_its_message(stage: Stage) -> None:
    server = stage.server
    said = server.say(GENERAL_ID, "what does it say?", attachments=[("plan.pdf", pdf(*PAGES))])
    assert "With it came plan.pdf" in server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)["content"]
    found = stage.ask(f"run: grep -B1 aardvark attachments/{said}/plan.pdf.txt")
    assert "[page 3 of 3]" in found
    kept = stage.data / "attachments" / "discord-channel" / str(GENERAL_ID) / str(said)
    assert {path.name for path in kept.iterdir()} == {"plan.pdf", "plan.pdf.txt"}
    assert "plan.pdf.txt" in holders(stage.data, HERON)

    seen = read(server, server.call_on_message(GENERAL_ID, "Forget", said))
    confirm(server, seen)

    assert not kept.exists()
    assert holders(stage.data, "first of all") == []


@pytest.mark.req("X-265", "X-251")
def test_a_document_is_read_while_memory_is_off_and_leaves_nothing(stage: Stage) -> None:
    switch(stage.server, "memory off")
    document = word(lambda document: document.add_paragraph("an aardvark, a bumblebee and a caterpillar"))
    said = stage.server.say(GENERAL_ID, "read it", attachments=[("elephant.docx", document)])

    answer = stage.server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)["content"]

    assert "elephant.docx" in answer
    assert find_planted(stage.data) == []
