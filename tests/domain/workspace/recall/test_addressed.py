from __future__ import annotations

import pytest

from domain.workspace.recall.addressed import strip_address


def test_whom_a_message_is_said_to_is_no_part_of_it(subtests: pytest.Subtests) -> None:
    for message, rest in [
        ("<@123> continue", "continue"),
        ("<@!123>, weiter bitte", "weiter bitte"),
        ("<@123>继续", "继续"),
        ("<@&5> <@6>: hi", "hi"),
        ("@Remembrancer go on", "go on"),
        ("ok @bot-2, go on", "go on"),
        ("go on, @Remembrancer!", "go on!"),
        ("go on <@123>", "go on"),
        ("hey Remembrancer, go on", "go on"),
        ("Hallo Otto! Weiter.", "Weiter."),
        ("@bot", ""),
    ]:
        with subtests.test(message=message, said=rest):
            assert strip_address(message) == rest


def test_names_within_a_message_and_addresses_of_mail_are(subtests: pytest.Subtests) -> None:
    for message in [
        *("ask ann@example.org about it", "write to ann@example.org", "what does <@5> do?", "tell @Ann that I am late"),
        *("hi, what are our rules?", "so glazes, which?", "hey, kilns, how hot?", "", "3 < 4"),
    ]:
        with subtests.test(message=message):
            assert strip_address(message) == message
