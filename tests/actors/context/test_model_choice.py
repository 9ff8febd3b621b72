"""Choosing a window's model, and what its conversation has used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from messages.base import Message, RequestId, UserId
from messages.context import ChooseModel, ModelChosen, StartNewWindow, TellUsage, UsageTold
from messages.model import ModelRequest, StopReason, Usage
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL, THREAD, Rig, bash_call, of_type, reply

MODELS = ("usual", "other/large", "third")
ASKED = RequestId("m")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A window with three models to choose from."""
    made = Rig(tmp_path, models=MODELS)
    yield made
    made.stop()


def choose(rig: Rig, model: str) -> Message:
    asker = rig.system.edge("asker")
    command = ChooseModel(request_id=ASKED, reply_to=asker.address, window=CHANNEL, asked_by=UserId("7"), model=model)
    rig.tell(CHANNEL, command)
    (answer,) = asker.drain()
    asker.close()
    return answer


def usage(rig: Rig) -> UsageTold:
    asker = rig.system.edge("asker")
    rig.tell(CHANNEL, TellUsage(request_id=ASKED, reply_to=asker.address, window=CHANNEL))
    (told,) = asker.drain()
    asker.close()
    assert isinstance(told, UsageTold)
    return told


def answer(rig: Rig, text: str, *, cost_usd: float, calls: bool = False) -> None:
    """Answer the only open request at this cost."""
    (request,) = of_type(ModelRequest, rig.model.drain())
    made = reply(request, text, *([bash_call("ls")] if calls else []), stop=StopReason.STOP)
    used = Usage(prompt_tokens=100, completion_tokens=10, cost_usd=cost_usd)
    rig.tell(CHANNEL, msgspec.structs.replace(made, usage=used))


def test_without_a_choice_requests_name_no_model(rig: Rig) -> None:
    rig.say("hello", 1)
    assert rig.answer("hi").model == ""
    assert choose(rig, "") == ModelChosen(request_id=ASKED, model="usual", choices=MODELS)


def test_a_chosen_model_is_asked_from_then_on_in_that_window_only(rig: Rig) -> None:
    assert choose(rig, "other/large") == ModelChosen(request_id=ASKED, model="other/large", choices=MODELS, is_new=True)
    rig.say("hello", 1)
    assert rig.answer("hi").model == "other/large"
    rig.say("hello", 2, THREAD)
    assert rig.answer("hi").model == ""
    choose(rig, "usual")
    rig.say("hello", 3)
    assert rig.answer("hi").model == ""


def test_a_choice_is_logged_once_and_survives_a_restart_and_a_new_window(rig: Rig, tmp_path: Path) -> None:
    choose(rig, "third")
    choose(rig, "third")
    assert [event.meta_dict() for event in rig.events()] == [{"what": "model", "model": "third", "by": "7"}]
    asker = rig.system.edge("asker")
    rig.tell(CHANNEL, StartNewWindow(request_id=ASKED, reply_to=asker.address, window=CHANNEL, asked_by=UserId("7")))
    rig.kill()
    again = Rig(tmp_path, models=MODELS)
    again.say("hello", 1)
    assert again.answer("hi").model == "third"
    again.stop()


def test_a_model_that_the_operator_allows_no_more_is_not_asked(rig: Rig, tmp_path: Path) -> None:
    choose(rig, "third")
    rig.kill()
    again = Rig(tmp_path, models=MODELS[:2])
    again.say("hello", 1)
    assert again.answer("hi").model == ""
    assert usage(again).model == "usual"
    again.stop()


def test_a_model_that_is_not_on_the_list_is_refused(rig: Rig) -> None:
    refused = choose(rig, "expensive")
    assert isinstance(refused, Refused)
    assert "usual, other/large, third" in refused.reason
    assert not (rig.root / "logs").exists()


def test_usage_is_the_sum_of_all_calls_also_after_a_restart(rig: Rig, tmp_path: Path) -> None:
    assert usage(rig) == UsageTold(
        request_id=ASKED, model="usual", turns=0, prompt_tokens=0, completion_tokens=0, cost_usd=0.0
    )
    rig.say("one", 1)
    answer(rig, "", cost_usd=0.25, calls=True)
    rig.finish_command("files")
    answer(rig, "1", cost_usd=0.5)
    rig.say("two", 2)
    answer(rig, "", cost_usd=0.125)
    rig.say("not for you", 3, wants_answer=False)
    expected = UsageTold(
        request_id=ASKED, model="usual", turns=2, prompt_tokens=300, completion_tokens=30, cost_usd=0.875
    )
    assert usage(rig) == expected
    rig.kill()
    again = Rig(tmp_path, models=MODELS)
    assert usage(again) == expected
    again.stop()


def test_what_an_unseen_answer_cost_is_counted_with_the_next(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_expansions=1, models=MODELS)
    rig.say("one", 1)
    answer(rig, "EXPAND path=logs/x line=1", cost_usd=0.5)
    answer(rig, "done", cost_usd=0.25)
    assert usage(rig).cost_usd == 0.75
    rig.stop()
