from __future__ import annotations

from pathlib import PurePath

import pytest

from domain.log.window_folders import attachments_folder, output_folder
from messages.base import Surface, Window

THREAD = Window(surface=Surface.DISCORD_THREAD, id="123456789012345678")


def test_a_window_has_its_folders_under_the_names_of_its_logs() -> None:
    assert attachments_folder(THREAD) == PurePath("attachments/discord-thread/123456789012345678")
    assert output_folder(THREAD) == PurePath("output/discord-thread/123456789012345678")


def test_an_id_that_could_lead_elsewhere_has_none(subtests: pytest.Subtests) -> None:
    for context_id in ["..", "../123456789012345678", "", "1", "12345678901234567x"]:
        with subtests.test(context_id=context_id):
            window = Window(surface=Surface.DISCORD_CHANNEL, id=context_id)
            for folder in (attachments_folder, output_folder):
                with pytest.raises(ValueError, match="15 to 20 decimal digits"):
                    folder(window)
