from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from actors.discord.outgoing.live import LiveMessages
from domain.text.running_text import CURSOR, is_running
from domain.turn.typed_command import STOP_PREFIX
from lab.playground.world import defaults
from messages.base import MessageId
from messages.context import KeptMessage
from messages.discord import EndProgress, ShowProgress
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, timing
from tests.patience import eventually

EDIT = r"PATCH /channels/\d+/messages/\d+$"


def progress(life: Life, text: str, status: str = "", turn_id: str = "turn1", **fields: Any) -> None:
    life.tell(ShowProgress(window=GENERAL, turn_id=turn_id, text=text, status=status, **fields))


def own(life: Life) -> list[dict[str, Any]]:
    return [m for m in life.playground.messages(defaults.GENERAL_ID) if m["author"]["id"] == str(defaults.BOT_ID)]


def edits(life: Life) -> list[dict[str, Any]]:
    return [record.payload for record in life.playground.requests("PATCH", "/messages/")]


def test_a_running_answer_is_one_message_that_becomes_the_answer(life: Life) -> None:
    progress(life, "The ans")
    eventually(lambda: life.shown() == [f"The ans {CURSOR}"])
    (running,) = own(life)
    assert life.delivered("The answer is 42.", turn_id="turn1") == (running["id"],)
    (final,) = own(life)
    assert (final["content"], final["components"]) == ("The answer is 42.", [])


def test_an_answer_that_was_held_up_is_not_overtaken_by_the_next_that_ran_already(life: Life) -> None:
    progress(life, "The second ans", turn_id="turn2")
    eventually(lambda: life.shown() == [f"The second ans {CURSOR}"])
    life.delivered("The first answer", turn_id="turn1")
    life.delivered("The second answer", turn_id="turn2")
    assert life.shown() == ["The first answer", "The second answer"]


def test_nor_by_one_that_ran_in_an_earlier_life(start_life: StartLife) -> None:
    life = start_life()
    asked = MessageId(str(life.say("how much?")))
    progress(life, "The second ans", turn_id="turn2", answers_message_id=asked)
    eventually(lambda: life.shown() == [f"The second ans {CURSOR}"])
    life.stop()
    life = start_life()
    life.delivered("The first answer", turn_id="turn1")
    life.delivered("The second answer", turn_id="turn2", answers_message_id=asked, look_first=True)
    assert life.shown() == ["The first answer", "The second answer"]


@pytest.mark.req("X-161")
def test_an_answer_that_is_whole_soon_is_posted_once(start_life: StartLife) -> None:
    life = start_life(timing=timing(draft_after_s=0.3))
    progress(life, "The ans")
    progress(life, "The answer")
    life.delivered("The answer is 42.", turn_id="turn1")
    progress(life, "Another ans", turn_id="turn2")
    eventually(lambda: life.shown() == ["The answer is 42.", f"Another ans {CURSOR}"])
    assert len(life.playground.requests("POST", "/messages")) == 2
    assert edits(life) == []


def test_a_turn_that_is_stopped_before_anything_of_it_is_shown_shows_nothing(start_life: StartLife) -> None:
    life = start_life(timing=timing(draft_after_s=0.2))
    progress(life, "The ans")
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", note="stopped"))
    progress(life, "Another ans", turn_id="turn2")
    eventually(lambda: life.shown() == [f"Another ans {CURSOR}"])


@pytest.mark.req("X-161")
@pytest.mark.parametrize("said", ["", "Let me look."])
def test_what_is_being_done_is_shown_at_once(start_life: StartLife, said: str) -> None:
    life = start_life(timing=timing(draft_after_s=1_000.0))
    if said:
        progress(life, said)
    progress(life, said, status="running `make`")
    eventually(lambda: len(own(life)) == 1)
    assert "running `make`" in life.shown()[0]


def test_a_running_message_has_a_button_that_names_its_turn(life: Life) -> None:
    progress(life, "so far")
    eventually(lambda: len(own(life)) == 1)
    (row,) = own(life)[0]["components"]
    assert [button["custom_id"] for button in row["components"]] == [f"{STOP_PREFIX}turn1"]


def test_the_newest_text_wins_and_edits_keep_their_distance(start_life: StartLife) -> None:
    life = start_life(timing=timing(edit_every_s=0.4))
    begin = time.monotonic()
    for number in range(100):
        progress(life, f"words {number}")
    eventually(lambda: life.shown() == [f"words 99 {CURSOR}"])
    assert len(edits(life)) <= 1 + (time.monotonic() - begin) / 0.4
    progress(life, "more")
    progress(life, "even more")
    life.delivered("all", turn_id="turn1")
    assert life.shown() == ["all"]
    assert len(edits(life)) <= 3 + (time.monotonic() - begin) / 0.4


def test_an_answer_without_progress_is_a_message_of_its_own(life: Life) -> None:
    progress(life, "of another turn", turn_id="turn0")
    eventually(lambda: len(own(life)) == 1)
    life.delivered("mine", turn_id="turn1")
    assert len(own(life)) == 2


def test_a_long_answer_goes_on_below_its_running_message(life: Life) -> None:
    progress(life, "word")
    eventually(lambda: len(own(life)) == 1)
    text = " ".join(f"word{number}" for number in range(600))
    shown = life.delivered(text, turn_id="turn1")
    assert len(shown) == len(own(life)) > 1
    assert " ".join(life.shown()).split() == text.split()


def test_when_edits_fail_the_answer_is_shown_all_the_same(life: Life) -> None:
    progress(life, "one")
    eventually(lambda: len(own(life)) == 1)
    life.playground.inject("503", EDIT, times=2)
    life.delivered("done", turn_id="turn1")
    assert life.shown() == ["done"]


def test_an_answer_whose_running_message_was_deleted_is_sent(life: Life) -> None:
    progress(life, "one")
    eventually(lambda: len(own(life)) == 1)
    life.playground.delete(defaults.GENERAL_ID, int(own(life)[0]["id"]))
    life.delivered("done", turn_id="turn1")
    assert life.shown() == ["done"]


def test_a_message_that_is_too_old_to_edit_gives_way_to_a_new_one(start_life: StartLife) -> None:
    life = start_life(timing=timing(edit_limit_s=0.0))
    progress(life, "one")
    eventually(lambda: len(own(life)) == 1)
    (old,) = own(life)
    (new,) = life.delivered("done", turn_id="turn1")
    assert new != old["id"]
    assert life.shown() == ["done"]


def test_a_stopped_turn_leaves_what_it_had_said(life: Life) -> None:
    progress(life, "half an ans")
    eventually(lambda: len(own(life)) == 1)
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", note="stopped by You"))
    eventually(lambda: life.shown() == ["half an ans\n-# stopped by You"])
    assert own(life)[0]["components"] == []


def test_a_stopped_turn_that_said_nothing_leaves_nothing(life: Life) -> None:
    progress(life, "", status="running `sleep 9`")
    eventually(lambda: len(own(life)) == 1)
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", note="stopped"))
    eventually(lambda: own(life) == [])


def test_what_an_earlier_life_left_running_becomes_the_answer(start_life: StartLife) -> None:
    first = start_life()
    question = first.say("question")
    progress(first, "half", answers_message_id=str(question))
    eventually(lambda: len(own(first)) == 1)
    (left,) = own(first)
    first.stop()
    second = start_life()
    shown = second.delivered("the whole answer", turn_id="turn1", answers_message_id=str(question), look_first=True)
    assert shown == (left["id"],)
    assert second.shown() == ["the whole answer"]
    assert not any(is_running(text) for text in second.shown())


def test_what_an_earlier_life_left_running_becomes_the_answer_though_nobody_knows_of_that_life(
    start_life: StartLife,
) -> None:
    """Its windows live on when this actor alone has crashed, and ask for no look."""
    second, question = left_by_an_earlier_life(start_life, "half")
    (left,) = own(second)
    shown = second.delivered("the whole answer", turn_id="turn1", answers_message_id=question)
    assert shown == (left["id"],)
    assert second.shown() == ["the whole answer"]


def test_neither_a_secret_nor_anything_hidden_is_shown(start_life: StartLife) -> None:
    life = start_life(secrets=("a-key-of-the-agent",))
    progress(life, f"the key is a-key-of-the-agent, the token {life.playground.bot_token[::-1]}\u202e")
    eventually(lambda: len(own(life)) == 1)
    assert life.shown() == [f"the key is [secret removed], the token [secret removed]\\u202e {CURSOR}"]
    life.delivered(f"{life.playground.bot_token} \u200b", turn_id="turn1")
    assert life.shown() == ["[secret removed] \\u200b"]


def test_what_changes_during_a_pause_is_shown_when_nothing_follows(start_life: StartLife) -> None:
    life = start_life(timing=timing(edit_every_s=0.3))
    progress(life, "one")
    eventually(lambda: len(own(life)) == 1)
    progress(life, "two")
    eventually(lambda: life.shown() == [f"two {CURSOR}"])


def test_an_answer_that_is_held_up_still_replaces_its_message_while_the_next_turn_runs(life: Life) -> None:
    progress(life, "one")
    eventually(lambda: len(own(life)) == 1)
    progress(life, "two", turn_id="turn2")
    eventually(lambda: len(own(life)) == 2)
    first, second = own(life)
    assert life.delivered("first answer", turn_id="turn1") == (first["id"],)
    assert life.delivered("second answer", turn_id="turn2") == (second["id"],)
    assert life.shown() == ["first answer", "second answer"]


# what an earlier life left


def left_by_an_earlier_life(start_life: StartLife, text: str, status: str = "", **options: Any) -> tuple[Life, str]:
    """A life that finds a running message of turn1, and the message that the turn answers."""
    first = start_life()
    question = str(first.say("question"))
    progress(first, text, status, answers_message_id=MessageId(question))
    eventually(lambda: len(own(first)) == 1)
    first.stop()
    return start_life(**options), question


def test_a_turn_of_an_earlier_life_that_is_stopped_leaves_what_it_had_said(start_life: StartLife) -> None:
    life, question = left_by_an_earlier_life(start_life, "half an ans", "running `sleep 9`")
    progress(life, "of another turn", turn_id="turn2")
    eventually(lambda: len(own(life)) == 2)
    note: dict[str, Any] = {"note": "stopped by You", "answers_message_id": MessageId(question)}
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", look_first=True, **note))
    eventually(lambda: life.shown()[0] == "half an ans\n-# stopped by You")
    assert own(life)[0]["components"] == []
    assert life.shown()[1] == f"of another turn {CURSOR}"


def test_a_turn_of_an_earlier_life_that_said_nothing_leaves_nothing(start_life: StartLife) -> None:
    life, question = left_by_an_earlier_life(start_life, "", "running `sleep 9`")
    note: dict[str, Any] = {"note": "stopped", "answers_message_id": MessageId(question)}
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", look_first=True, **note))
    eventually(lambda: own(life) == [])


def compared_with(start_life: StartLife, *, look_is_held: bool = False, **changes: Any) -> Life:
    """A life that compares a window with Discord, where an earlier one has left a running message of turn1."""
    first = start_life()
    question = str(first.say("question"))
    progress(first, "half an ans")
    eventually(lambda: len(own(first)) == 1)
    first.stop()
    kept = {GENERAL: (KeptMessage(message_id=MessageId(question), words="", logged_at_ms=0),)}
    if look_is_held:
        first.playground.inject("delay", r"GET /channels/\d+/messages/\d+$", delay_s=600.0)
    return start_life(last_seen={GENERAL.address.key: question}, kept=kept, **changes)


def question_of(life: Life) -> MessageId:
    return MessageId(str(life.playground.messages(defaults.GENERAL_ID)[0]["id"]))


@pytest.mark.parametrize(
    ("unfinished", "waits"),
    [((), {"left_running_s": 0.3}), (("turn2",), {"left_running_s": 0.3}), (("turn1",), {"edit_limit_s": 0.3})],
    ids=["over", "another is not over", "not over"],
)
def test_no_running_message_of_an_earlier_life_stays_for_ever(
    start_life: StartLife, unfinished: tuple[str, ...], waits: dict[str, float]
) -> None:
    """Nothing is said of its turn again: it was aborted, and the process killed before that was shown."""
    life = compared_with(start_life, timing=timing(**waits), unfinished=unfinished)
    eventually(lambda: life.shown() == ["half an ans\n-# interrupted"])
    assert own(life)[0]["components"] == []


def test_a_turn_that_is_stopped_after_this_actor_alone_was_made_anew_leaves_nothing_running(
    start_life: StartLife,
) -> None:
    """The window does not know that an earlier life of this actor has shown it."""
    life = compared_with(start_life, unfinished=("turn1",))

    def stop() -> bool:  # again and again, as nothing tells when its message was found
        life.tell(EndProgress(window=GENERAL, turn_id="turn1", note="stopped by You"))
        return life.shown() == ["half an ans\n-# stopped by You"]

    eventually(stop)


def test_a_turn_that_is_stopped_before_its_message_is_found_is_over_whatever_was_told_before(
    start_life: StartLife,
) -> None:
    life = compared_with(start_life, unfinished=("turn1",), timing=timing(left_running_s=0.3, compare_pause_s=0.0))
    life.tell(EndProgress(window=GENERAL, turn_id="turn1", note="stopped by You"))
    eventually(lambda: "half an ans\n-#" in life.shown()[0])


def test_a_running_message_that_became_an_answer_meanwhile_is_left_alone(start_life: StartLife) -> None:
    """The answer is shown while the look at the message is under way."""
    life = compared_with(start_life, look_is_held=True, timing=timing(left_running_s=0.3))
    message_id, playground = own(life)[0]["id"], life.playground
    eventually(lambda: playground.counters()["faults_fired"] == 1)
    life.delivered("whole", turn_id="turn1", answers_message_id=question_of(life), look_first=True)
    playground.clear_faults()
    eventually(lambda: playground.requests("GET", f"/messages/{message_id}"))
    life.delivered("afterwards")
    assert life.shown() == ["whole", "afterwards"]


@pytest.mark.parametrize(("is_replaced", "changed"), [(True, []), (False, ["edit"])])
def test_a_look_from_before_the_answer_took_the_place_ends_nothing(*, is_replaced: bool, changed: list[str]) -> None:
    button = SimpleNamespace(custom_id=STOP_PREFIX + "turn1")
    running: Any = SimpleNamespace(
        id=2, content="half an ans", channel=SimpleNamespace(id=1), components=[SimpleNamespace(children=[button])]
    )
    changes: list[str] = []

    async def read(*_: object) -> Any:
        if is_replaced:
            live.note_replaced(running.id)
        return running

    async def edit(*_: object) -> None:
        changes.append("edit")

    redaction: Any = SimpleNamespace(present=str)
    messages: Any = SimpleNamespace(read=read, edit=edit)
    live = LiveMessages(messages=messages, redaction=redaction, timing=timing(left_running_s=0.0))

    async def watch() -> None:
        live.watch([running], ())
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    asyncio.run(watch())
    assert changes == changed
