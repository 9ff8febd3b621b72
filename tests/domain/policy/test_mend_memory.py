"""Mends are remembered by model where they are facts of it, and nothing is remembered that was not the reason."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.mend_memory import MendMemory
from domain.policy.mending import tokens_of
from domain.policy.refusal import Mend
from domain.policy.retrying import Fault, FaultKind
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, ImageFile, ModelRequest, Role

MODEL = "openai/some"
Server = Callable[[ModelRequest], str]
"""Words of its refusal; empty if it accepts."""


def user(text: str, *pictures: str) -> ChatMessage:
    images = tuple(ImageFile(path=path, media_type="image/png") for path in pictures)
    return ChatMessage(role=Role.USER, text=text, images=images)


def agent(text: str = "fine") -> ChatMessage:
    return ChatMessage(role=Role.ASSISTANT, text=text)


def talk(rounds: int, size: int = 400) -> list[ChatMessage]:
    history: list[ChatMessage] = []
    for number in range(rounds):
        history += [user(f"{number} " + "word " * (size // 5)), agent(f"answer {number}")]
    return history


def fault(words: str) -> Fault:
    """The fault for a server's words, which may begin with its status."""
    status = int(words[:3]) if words[:3].isdigit() else 400
    kinds = {413: FaultKind.TOO_LONG, 400: FaultKind.REJECTED}
    return Fault(kinds.get(status, FaultKind.SERVER), status, words=words)


class Caller:
    """Asks a server as the model actor does, and counts what it costs."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.memory = MendMemory()
        self.sent: list[ModelRequest] = []
        self.prompt_tokens = 0

    def ask(
        self, *messages: ChatMessage, window: int = 1, model: str = MODEL, purpose: str = "", api_base: str = ""
    ) -> str | None:
        """Words about what was left out; None if there is no answer."""
        request = ModelRequest(
            request_id=RequestId("r"),
            reply_to=Address("test"),
            window=Window(surface=Surface.DISCORD_THREAD, id=str(window)),
            system_prompt="Be brief.",
            messages=messages,
            tools=(),
            purpose=purpose,
            api_base=api_base,
        )
        prepared = self.memory.prepare(model, request)
        self.sent.append(prepared.request)
        words = self.server(prepared.request)
        if not words:
            self.memory.accept(model, prepared.request, self.prompt_tokens)
            return prepared.left_out
        plan = self.memory.plan(model, prepared, fault(words))
        if plan is None:
            return None
        self.sent.append(plan.mended.request)
        words = self.server(plan.mended.request)
        if words:
            self.memory.give_up(model, plan, fault(words))
            return None
        self.memory.learn(model, plan)
        self.memory.accept(model, plan.mended.request, self.prompt_tokens)
        return plan.left_out

    def pictures(self) -> list[str]:
        """Paths in the request that was sent last."""
        return [image.path for message in self.sent[-1].messages for image in message.images]


def blind(words: str) -> Server:
    return lambda request: words if any(message.images for message in request.messages) else ""


def small(words: str, most: int = 1000) -> Server:
    return lambda request: words if tokens_of(request) > most else ""


def broken(path: str, words: str) -> Server:
    def serve(request: ModelRequest) -> str:
        return words if any(image.path == path for message in request.messages for image in message.images) else ""

    return serve


def test_a_model_without_vision_is_paid_for_once_in_all_windows() -> None:
    caller = Caller(blind("This model does not support image input"))
    assert caller.ask(user("look", "a.png"), window=1) == "1 picture"
    assert caller.ask(user("look", "b.png"), window=2) == "1 picture"  # people of the next window are told, too
    assert caller.ask(user("look", "b.png"), agent(), user("and?"), window=2) == ""
    assert len(caller.sent) == 4


def test_another_model_is_sent_the_picture() -> None:
    caller = Caller(blind("This model does not support image input"))
    caller.ask(user("look", "a.png"))
    caller.server = lambda _request: ""
    assert caller.ask(user("look", "a.png"), model="openai/other") == ""
    assert caller.pictures() == ["a.png"]


def test_of_a_broken_picture_only_that_one_is_left_out_from_then_on(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["Could not process image", "no, thank you"]
    for words in cases:
        with subtests.test(words=words):
            caller = Caller(broken("bad.png", words))
            caller.ask(*talk(60), window=3)
            caller.ask(user("look", "good.png"))
            history = [user("look", "good.png"), agent(), user("and this", "bad.png")]
            assert caller.ask(*history) == "1 picture"
            assert caller.pictures() == ["good.png"]
            history += [agent(), user("and that", "new.png")]
            assert caller.ask(*history) == ""
            assert caller.pictures() == ["good.png", "new.png"]
            assert (
                caller.ask(user("look", "bad.png"), window=2) == "1 picture"
            )  # another window's may be another picture


def test_of_too_many_pictures_the_newest_are_kept() -> None:
    """vllm-project/vllm#13397: one picture a request is the default."""

    def one(request: ModelRequest) -> str:
        count = sum(len(message.images) for message in request.messages)
        return "At most 1 image(s) may be provided in one request." if count > 1 else ""

    caller = Caller(one)
    history = [user("look", "a.png"), agent(), user("and this", "b.png")]
    assert caller.ask(*history) == "1 picture"
    assert caller.pictures() == ["b.png"]
    caller.ask(*history, agent(), user("and that", "c.png"))
    assert caller.pictures() == ["c.png"]
    assert len(caller.sent) == 3


def test_after_unknown_words_an_older_picture_that_was_accepted_stays() -> None:
    caller = Caller(lambda _request: "")
    caller.ask(*talk(60), window=3)
    caller.ask(user("look", "good.png"), agent(), user("one"))
    caller.server = lambda request: "no" if any(m.text == "" for m in request.messages) else ""
    caller.ask(user("look", "good.png"), agent(), user("one"), agent(), user(""))
    assert caller.pictures() == ["good.png"]
    assert caller.sent[-1].messages[-1].text == "[empty]"


def test_an_unrelated_refusal_does_not_cost_a_window_its_pictures() -> None:
    words = ["no", "", "", ""]
    caller = Caller(lambda _request: words.pop(0))
    caller.ask(user("look", "a.png"))
    caller.ask(user("look", "a.png"), agent(), user("and this", "b.png"))
    assert caller.pictures() == ["b.png"]
    assert caller.ask(user("look", "b.png"), window=2) == ""
    assert caller.pictures() == ["b.png"]


def test_a_named_limit_holds_for_the_next_window() -> None:
    caller = Caller(small("maximum context length is 1000 tokens"))
    assert "oldest messages" in str(caller.ask(*talk(14), user("and?"), window=1))
    assert "oldest messages" in str(caller.ask(*talk(16), user("and?"), window=2))
    assert caller.ask(*talk(16), user("and?"), agent(), user("more"), window=2) == ""
    assert len(caller.sent) == 4
    assert caller.ask(user("short"), window=3) == ""


def test_after_unknown_words_the_length_holds_for_its_window_alone() -> None:
    caller = Caller(small("no"))
    caller.ask(*talk(14), user("and?"), window=1)
    caller.server = lambda _request: ""
    assert caller.ask(*talk(14), user("and?"), window=2) == ""
    assert len(caller.sent[-1].messages) == 29


def test_a_history_many_times_too_long_is_cut_further_at_each_message() -> None:
    """earendil-works/pi#8196: another model, with a much shorter context, was chosen in a long conversation."""
    caller = Caller(small("no", most=600))
    history = talk(60)
    answers = [caller.ask(*history, user(f"and {number}?")) for number in range(5)]
    assert answers[0] is None
    assert answers[-1] is not None
    assert caller.ask(*history, user("and 5?"), agent(), user("more")) == ""


def test_cuts_begin_at_the_same_place_until_it_is_too_long_again() -> None:
    caller = Caller(small("prompt is too long: 1500 tokens > 1000 maximum"))
    history = talk(12)
    sent: list[tuple[ChatMessage, ...]] = []
    for number in range(12):
        history.append(user(f"next {number} " + "word " * 20))
        assert caller.ask(*history) is not None
        sent.append(caller.sent[-1].messages)
        history.append(agent())
    changes = sum(later[: len(earlier)] != earlier for earlier, later in itertools.pairwise(sent))
    assert changes <= 1
    assert sent[1][: len(sent[0])] == sent[0]
    assert len(caller.sent) == 13


def test_a_later_cut_is_as_silent_as_any_trimming() -> None:
    caller = Caller(small("prompt is too long: 1500 tokens > 1000 maximum"))
    history = talk(12)
    answers: list[str | None] = []
    for number in range(30):
        history.append(user(f"next {number} " + "word " * 60))
        answers.append(caller.ask(*history))
        history.append(agent())
    assert "oldest messages" in str(answers[0])
    assert answers[1:] == [""] * 29


def test_a_cut_is_found_again_although_roles_are_merged() -> None:
    def strict(request: ModelRequest) -> str:
        pairs = itertools.pairwise(request.messages)
        if any(one.role is other.role for one, other in pairs):
            return "roles must alternate"
        return "maximum context length is 1000 tokens" if tokens_of(request) > 1000 else ""

    caller = Caller(strict)
    caller.ask(user("one"), user("two"))
    history = [each for number in range(14) for each in (user(f"{number} " + "word " * 60), user("and"), agent())]
    caller.ask(*history, user("now?"))
    before = caller.sent[-1].messages
    caller.ask(*history, user("now?"), agent(), user("more"))
    assert caller.sent[-1].messages[: len(before)] == before


def test_a_servers_count_makes_the_cut_fit() -> None:
    """A tokenizer that takes three times what the estimate says."""
    caller = Caller(lambda _request: "")
    caller.prompt_tokens = 3 * 400
    caller.ask(*talk(4), user("and?"))
    caller.server = small("maximum context length is 1400 tokens", most=460)
    assert "oldest message" in str(caller.ask(*talk(14), user("and?")))


@pytest.mark.parametrize("most", [450, 1000])
def test_pictures_make_a_body_too_large_before_the_text_does(most: int) -> None:
    """earendil-works/pi#401: 413 in a session with many screenshots."""

    def heavy(request: ModelRequest) -> str:
        weight = sum(1000 * len(message.images) for message in request.messages) + tokens_of(request) // 3
        return "413 request_too_large: Request exceeds the maximum size" if weight > most else ""

    caller = Caller(heavy)
    history = [*talk(12), user("look", "a.png")]
    answers = [caller.ask(*history), caller.ask(*history, user("and now?"))]
    assert answers[0 if most == 1000 else 1] is not None
    assert caller.sent[1].messages[0] == history[0]  # no word is cut where the pictures are the reason


def test_the_last_thing_that_is_known_of_500_windows_is_kept() -> None:
    caller = Caller(blind("Could not process image"))
    for window in range(502):
        caller.ask(user("look", "a.png"), window=window)
    request_count = len(caller.sent)
    caller.ask(user("look", "a.png"), window=501)
    caller.ask(user("look", "a.png"), window=0)
    assert len(caller.sent) - request_count == 1 + 2


@given(st.lists(st.sampled_from(["no", "", "roles must alternate", "image", "prompt is too long", "413"]), max_size=30))
def test_whatever_a_server_says_requests_end_with_what_was_said(words: list[str]) -> None:
    answers = [*words, *[""] * 60]
    caller = Caller(lambda _request: answers.pop(0))
    history: list[ChatMessage] = []
    for number in range(10):
        history.append(user(f"message {number}", f"{number}.png"))
        caller.ask(*history)
        assert caller.sent[-1].messages[-1].text.startswith(f"message {number}") or any(
            f"message {number}" in message.text for message in caller.sent[-1].messages
        )
        history.append(agent())


def test_nothing_is_mended_where_nothing_can_be() -> None:
    assert Caller(lambda _request: "no").ask(user("hello")) is None


def test_what_was_said_is_not_sent_again_without_its_context() -> None:
    caller = Caller(lambda _request: "400 stopped by content_filter")
    assert caller.ask(*talk(4), user("hello")) is None
    assert len(caller.sent) == 1


def test_words_about_a_part_that_is_not_there_are_unknown_words() -> None:
    caller = Caller(small("images are not supported"))
    assert "oldest messages" in str(caller.ask(*talk(14), user("and?")))


def test_a_server_that_crashes_is_blamed_on_what_is_new_but_not_on_the_length() -> None:
    """Azure/azureml-examples#3619: a picture, and no word of it."""
    caller = Caller(broken("bad.png", "500 Internal Server Error"))
    assert caller.ask(*talk(4), user("look", "bad.png")) == "1 picture"
    outage = Caller(lambda _request: "500 Internal Server Error")
    assert outage.ask(*talk(14), user("hello")) is None
    assert len(outage.sent) == 1
    busy = Caller(lambda _request: "503 busy")
    assert busy.ask(user("look", "a.png")) is None
    assert len(busy.sent) == 1


def test_roles_that_must_alternate_are_paid_for_once_in_all_windows() -> None:
    def strict(request: ModelRequest) -> str:
        pairs = itertools.pairwise(message.role for message in request.messages)
        return "roles must alternate" if any(one is other for one, other in pairs) else ""

    caller = Caller(strict)
    for window in range(3):
        assert caller.ask(user("one"), user("two"), window=window) == ""
    assert len(caller.sent) == 4


def test_after_unknown_words_only_the_likeliest_reason_is_remembered() -> None:
    caller = Caller(broken("bad.png", "no"))
    caller.ask(*talk(60), window=3)
    assert "1 picture" in str(caller.ask(user("one"), user("look", "bad.png")))
    caller.ask(user("one"), user("two"), window=2)
    assert len(caller.sent[-1].messages) == 2  # not merged


def test_a_refusal_that_no_mend_helped_against_is_forgotten_once_an_answer_comes() -> None:
    words = ["no", "no", "", "", "no", ""]
    caller = Caller(lambda _request: words.pop(0))
    assert caller.ask(*talk(3), user("one")) is None
    caller.ask(*talk(60), window=2)
    caller.ask(*talk(3), user("look", "good.png"))
    caller.ask(*talk(3), user("look", "good.png"), agent(), user("and this", "bad.png"))
    assert caller.pictures() == ["good.png"]


def test_empty_messages_are_not_suspected_of_a_model_that_took_them() -> None:
    caller = Caller(lambda _request: "")
    caller.ask(user("one"), agent(""), user("two"))
    caller.server = lambda request: "no" if tokens_of(request) > 300 else ""
    caller.ask(*talk(5), user("one"), agent(""), user("two"))
    assert caller.sent[-1].messages[-2].text == ""


def test_the_window_that_spoke_last_is_not_forgotten() -> None:
    caller = Caller(blind("Could not process image"))
    for window in (*range(500), 0, 500):
        caller.ask(user("look", "a.png"), window=window)
    request_count = len(caller.sent)
    caller.ask(user("look", "a.png"), window=0)
    assert len(caller.sent) == request_count + 1


def test_purposes_and_servers_have_memories_of_their_own() -> None:
    caller = Caller(blind("Could not process image"))
    caller.ask(user("look", "a.png"))
    caller.ask(user("look", "a.png"), purpose="facts")
    assert len(caller.sent) == 4
    caller = Caller(blind("This model does not support image input"))
    for window in (1, 2):
        caller.ask(user("look", "a.png"), api_base="http://127.0.0.1:1/v1", window=window)
    assert len(caller.sent) == 3
    caller.server = lambda _request: ""
    caller.ask(user("look", "a.png"), api_base="http://127.0.0.1:2/v1")
    assert caller.pictures() == ["a.png"]


def test_roles_are_not_suspected_of_a_model_that_took_them() -> None:
    caller = Caller(lambda _request: "")
    caller.ask(user("one"), user("two"))
    caller.server = lambda request: "no" if tokens_of(request) > 300 else ""
    caller.ask(*talk(5), user("one"), user("two"))
    assert [message.text for message in caller.sent[-1].messages[-2:]] == ["one", "two"]
    assert Mend.ROLES not in caller.memory.prepare(MODEL, caller.sent[0]).mends
