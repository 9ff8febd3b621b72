"""Refusals that people can undo, and refusals of one part of a message, as users of other bots have reported them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from domain.text.running_text import CURSOR
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Window
from messages.discord import Delivered, DeliveryRefused, EndProgress, ShowProgress
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import eventually

SEND = r"POST /channels/\d+/messages$"
ANY = r"(POST|PATCH|DELETE) /channels/\d+/messages"
NO_HISTORY = 1 << 16

FOR_NOW = [
    # (status, code, report)
    (400, 50083, "discord/discord-api-docs#6884: a thread is locked before the bot responds"),
    (403, 50083, "discord/discord-api-docs#5517: the thread is archived when the callback comes"),
    (404, 50083, "the same code with another status"),
    (400, 160005, "victornpb/undiscord#399: a locked thread"),
    (403, 160005, "the same code with another status"),
    (403, 50001, "discord/discord-api-docs#6884: the bot does not see the thread any more"),
    (403, 50013, "LakeYS/Dishorde#45: no permission to send"),
    (400, 20016, "slow mode"),
    (400, 200000, "matrix-org/matrix-appservice-discord#799: automatic moderation"),
    (400, 200001, "the sibling for titles"),
    (400, 240000, "Dragory/modmailbot#730: the filter of harmful links"),
    (403, 50007, "the user takes no direct messages"),
    (404, 10003, "the channel is not there, and comes back with the bot's return to the server"),
    (403, 60003, "the owner lacks two-factor authentication"),
    (403, 50009, "the server's verification level"),
    (403, 50278, "the bot and the user share no server"),
    (400, 160006, "as many active threads as a server may have"),
    (403, 99999, "a code that is not in the table"),
]
FOR_GOOD = [
    (400, 50006, "no words"),
    (400, 0, "a broken request"),
    (404, 10008, "no such message"),
    (403, 50005, ""),
    (400, 50024, "not in this kind of channel"),
    (400, 50008, "no channel of messages"),
]
SOON = [
    (403, 40333, "discord/discord-api-docs#6473: Discord's own network, under a code that looks like an outage"),
    (400, 130000, "the service is overloaded"),
    (403, 20028, "the channel's limit of writes"),
    (400, 20028, "the same code with another status"),
    (400, 40062, "the service is rate limited, by a code without the status of limits"),
]
REFERENCE = [
    (403, 160002, "", "nminaya/grammar-nazi-bot#244, Voxel-Fox-Ltd/Flower#63: replies need the right to read history"),
    (403, 160009, "", "discord/discord-api-docs#8424: the same of references"),
    (400, 160010, "", "discord/discord-api-docs#8424: references into channels with an age limit"),
    (400, 50035, "message_reference", "NousResearch/hermes-agent#1293: the question counts as a system message"),
    (400, 10008, "", "NousResearch/hermes-agent#11342: the question is gone"),
    (404, 10008, "", "the same code with another status"),
    (400, 50021, "", "discord/discord-api-docs#267: a system message"),
]


def refuse(
    playground: PlaygroundServer, status: int, code: int, match: str = SEND, named: str = "", times: int = 1
) -> None:
    playground.inject("refused", match, times=times, status=status, code=code, named=named)


def test_a_refusal_waits_for_people_or_does_not_by_its_code(life: Life) -> None:
    failures = []
    for is_for_now, cases in ((True, FOR_NOW), (False, FOR_GOOD)):
        for status, code, report in cases:
            refuse(life.playground, status, code)
            reply = life.not_delivered(f"an answer {code}")
            if not isinstance(reply, DeliveryRefused) or reply.for_now != is_for_now:
                failures.append((status, code, report, reply))
            life.delivered(f"an answer {code} {status}")
    assert not failures


def test_what_passes_in_seconds_is_tried_again_by_its_code(life: Life) -> None:
    failures = []
    for status, code, report in SOON:
        refuse(life.playground, status, code)
        reply = life.outcome(life.post(f"an answer {code}"))
        if not isinstance(reply, Delivered):
            failures.append((status, code, report, reply))
    assert not failures


def test_a_refused_reference_costs_the_reference_and_nothing_else(life: Life) -> None:
    failures = []
    for number, (status, code, named, report) in enumerate(REFERENCE):
        question = life.say(f"question {number}")
        life.say("something else")
        life.messages.wait(2 * number + 2)
        refuse(life.playground, status, code, named=named)
        reply = life.outcome(life.post(f"answer {number}", answers_message_id=str(question)))
        shown = newest(life)
        if not isinstance(reply, Delivered) or shown["content"] != f"answer {number}" or "message_reference" in shown:
            failures.append((status, code, named, report, reply, shown))
    assert not failures


def test_refused_buttons_cost_the_buttons_and_nothing_else(life: Life) -> None:
    refuse(life.playground, 400, 50035, named="components")
    show(life, "so far")
    eventually(lambda: life.shown() == [f"so far {CURSOR}"])
    assert newest(life)["components"] == []


def test_a_refused_file_is_answered_by_the_text_in_messages(life: Life) -> None:
    failures = []
    text = "\n".join(f"line {number} of a very long answer" for number in range(4_000))
    for status, code in ((400, 50045), (400, 50046), (413, 40005), (400, 40005), (403, 400001), (403, 50013)):
        before = len(life.shown())
        refuse(life.playground, status, code)
        reply = life.outcome(life.post(text))
        if not isinstance(reply, Delivered) or "\n".join(life.shown()[before:]).split() != text.split():
            failures.append((status, code, reply))
    assert not failures


def test_without_the_right_to_read_history_nothing_waits_and_nothing_is_lost(life: Life) -> None:
    """nminaya/grammar-nazi-bot#244, member-gentei#42: four quick messages, each answered at once."""
    life.playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=NO_HISTORY)
    questions = [life.say(f"question {number}") for number in range(4)]
    life.messages.wait(4)
    for number, question in enumerate(questions):
        life.delivered(f"answer {number}", answers_message_id=str(question))
    assert life.shown() == [f"answer {number}" for number in range(4)]


@pytest.mark.req("X-207")
def test_a_thread_that_is_locked_while_its_answer_is_written_gets_it_when_it_is_opened_again(life: Life) -> None:
    """discord/discord-api-docs#6884, victornpb/undiscord#399."""
    thread = life.playground.create_thread(defaults.GENERAL_ID, "talk")
    window = thread_window(thread)
    question = str(life.say("how much?", thread))
    show(life, "The ans", window)
    eventually(lambda: life.shown(thread) == [f"The ans {CURSOR}"])
    life.playground.change_thread(thread, archived=True, locked=True)
    asked = {"turn_id": "turn1", "nonce": "answer", "answers_message_id": question}
    reply = life.not_delivered("The answer is 42.", window, **asked)
    assert isinstance(reply, DeliveryRefused)
    assert reply.for_now
    assert life.shown(thread) == []
    life.playground.change_thread(thread, archived=False, locked=False)
    life.delivered("The answer is 42.", window, look_first=True, **asked)
    assert life.shown(thread) == ["The answer is 42."]


def test_a_running_message_that_cannot_be_changed_is_completed_or_removed_later(start_life: StartLife) -> None:
    """viet-aus-it/vait-discord-bot#286: in an archived thread a bot can delete nothing either."""
    life = start_life(timing=timing(gap_again_s=0.3))
    failures = []
    for ends, expected in (("answer", ["answered"]), ("stop", ["so far\n-# stopped"]), ("deleted", [])):
        thread = life.playground.create_thread(defaults.GENERAL_ID, ends)
        window = thread_window(thread)
        show(life, "so far", window, ends)
        eventually(partial(shows, life, thread, f"so far {CURSOR}"))
        refuse(life.playground, 403, 50083, ANY, times=3)
        if ends == "answer":
            assert isinstance(life.not_delivered("answered", window, turn_id=ends, nonce=ends), DeliveryRefused)
            life.playground.clear_faults()
            life.delivered("answered", window, turn_id=ends, nonce=ends)
        else:
            note = "stopped" if ends == "stop" else ""
            life.tell(EndProgress(window=window, turn_id=ends, note=note))
        try:
            eventually(partial(shows, life, thread, *expected))
        except AssertionError:
            failures.append((ends, life.shown(thread)))
    assert not failures


def test_slow_mode_of_hours_holds_up_no_other_text(start_life: StartLife) -> None:
    """A limit that lasts longer than a call may take is a refusal for now: its channel's queue goes on."""
    life = start_life(timing=timing(call_timeout_s=0.5))
    life.playground.inject("429-user", SEND, retry_after_s=3_600)
    reply = life.not_delivered("an answer")
    assert isinstance(reply, DeliveryRefused)
    assert reply.for_now


def shows(life: Life, channel: int, *texts: str) -> bool:
    """True if the bot shows these texts in a channel and no button."""
    running = any(text.endswith(CURSOR) for text in texts)
    buttons = [message for message in life.playground.messages(channel) if message["components"]]
    return life.shown(channel) == list(texts) and bool(buttons) == running


def show(life: Life, text: str, window: Window = GENERAL, turn_id: str = "turn1") -> None:
    life.tell(ShowProgress(window=window, turn_id=turn_id, text=text, status=""))


def newest(life: Life) -> dict[str, Any]:
    """The bot's newest message."""
    return [m for m in life.playground.messages(defaults.GENERAL_ID) if m["author"]["id"] == str(defaults.BOT_ID)][-1]
