"""One text that an embedding server cannot take: it is found, and no other text, question or owner waits for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

from domain.memory.space import Provider, Space
from messages.embedder import EmbeddingFailed, TextRole, TextsEmbedded
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply, Vectors
from tests.actors.embedder.rig import DIMENSIONS, GOOGLE, OPENAI, Rig

SPACE = Space(Provider.OPENAI, "test-embedding", 0)
FIXED = Space(Provider.OPENAI, "test-embedding", DIMENSIONS)
POISON = "poison"
DOWN = Reply(status=500, body={"error": {"message": "internal"}})
NAN = "failed to encode response: json: unsupported value: NaN"


class FragileServer(LoopbackEmbeddings):
    """A server whose process a text with `POISON` ends; a few calls later it is there again."""

    def __init__(self, calls_down: int) -> None:
        super().__init__()
        self._calls_down = calls_down
        self._left = 0
        self.ends = 0

    def _next_reply(self, texts: list[str]) -> Reply:
        if self._left:
            self._left -= 1
            return Reply(reset=True)
        if any(POISON in text for text in texts):
            self._left, self.ends = self._calls_down, self.ends + 1
            return Reply(reset=True)
        return Reply()


class SmallServer(LoopbackEmbeddings):
    """A server that takes ten texts a call."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self._status = status

    def _next_reply(self, texts: list[str]) -> Reply:
        return Reply(status=self._status, body={"error": "batch size"}) if len(texts) > 10 else Reply()


@pytest.fixture(autouse=True)
def _litellm(litellm: None) -> None:
    """Some tests call it."""


@pytest.fixture
def openai_rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig(space=SPACE)


def texts_with(*places: int, count: int = 64) -> list[str]:
    return [f"text {place}" if place not in places else f"{POISON} {place}" for place in range(count)]


def settle(rig: Rig, seconds: int = 400) -> None:
    """Let time pass until no request waits."""
    for _ in range(seconds):
        rig.wait_until(calls_in_flight=0)
        if not rig.figures()["requests_waiting"]:
            return
        rig.pass_time(1)
    raise AssertionError(rig.figures())


def embedded(rig: Rig, request_id: Any) -> TextsEmbedded:
    answer = rig.answer(request_id)
    assert isinstance(answer, TextsEmbedded), answer
    return answer


def places_set_aside(rig: Rig, request_id: Any, texts: list[str]) -> list[int]:
    """Places of `texts` that are set aside in the end; what is put off is asked for again, as an index does it."""
    answer, late = embedded(rig, request_id), list(range(len(texts)))
    aside: list[int] = []
    while True:
        assert sorted((*answer.put_off, *answer.set_aside)) == without(answer)
        aside += [late[place] for place in answer.set_aside]
        late = [late[place] for place in answer.put_off]
        if not late:
            return sorted(aside)
        rig.pass_time(answer.again_s)
        again = rig.ask(*(texts[place] for place in late))
        settle(rig)
        answer = embedded(rig, again)


def without(answer: TextsEmbedded) -> list[int]:
    return [place for place, vector in enumerate(answer.vectors) if not vector]


def of_size(size: int, vectors: Vectors) -> Vectors:
    return [[1.0] * size for _ in vectors]


def all_nan(vectors: Vectors) -> Vectors:
    return [[math.nan] * DIMENSIONS for _ in vectors]


BAD: dict[str, Reply] = {
    "NaN, 500": Reply(status=500, body={"error": NAN}, only_for=POISON),
    "500 page": Reply(status=500, body=b"Internal Server Error", only_for=POISON),
    "502": Reply(status=502, body=b"<html>bad gateway</html>", only_for=POISON),
    "503": Reply(status=503, body={"error": {"message": "unavailable"}}, only_for=POISON),
    "504": Reply(status=504, body=b"", only_for=POISON),
    "reset": Reply(reset=True, only_for=POISON),
    "400": Reply(status=400, body={"error": {"message": "Input must not be empty"}}, only_for=POISON),
    "413": Reply(status=413, body={"error": {"message": "too large"}}, only_for=POISON),
    "422": Reply(status=422, body={"error": "unprocessable"}, only_for=POISON),
    "page": Reply(body=b"<html>oops</html>", only_for=POISON),
    "no body": Reply(body=b"", only_for=POISON),
    "NaN vectors": Reply(spoil=all_nan, only_for=POISON),
    "empty vectors": Reply(spoil=lambda vectors: [[] for _ in vectors], only_for=POISON),
    "no vectors": Reply(spoil=lambda vectors: [], only_for=POISON),
    "one too few": Reply(spoil=lambda vectors: vectors[1:], only_for=POISON),
    "one too many": Reply(spoil=lambda vectors: [*vectors, vectors[0]], only_for=POISON),
}


FOUND = [
    *((reply, {37}) for reply in BAD.values()),
    *((BAD[kind], places) for kind in ("NaN, 500", "NaN vectors") for places in ({0}, {5, 50})),
]


@pytest.mark.req("X-202")
def test_a_bad_text_is_found_and_all_others_get_their_vectors(
    make_rig: Callable[..., Rig], caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    """hang-in/seCall#5, ollama/ollama#12921: a server answers 500 for every call that has a certain text in it."""
    for reply, places in FOUND:
        with subtests.test(places=places, reply=reply):
            rig = make_rig(space=SPACE)
            caplog.clear()
            rig.server.always = reply
            request_id = rig.ask(*texts_with(*places))
            settle(rig, 20)

            assert places_set_aside(rig, request_id, texts_with(*places)) == sorted(places)
            assert rig.figures()["texts_without_vector"] == len(places)
            assert len(rig.server.seen) <= 2 + 28 * len(places)
            rig.system.stop()  # all is logged
            assert sum("is set aside" in record.getMessage() for record in caplog.records) == len(places)


def test_every_provider_does_so(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for space in [GOOGLE, OPENAI, SPACE, FIXED]:
        with subtests.test(space=space):
            rig = make_rig(space=space)
            rig.server.always = Reply(status=500, body={"error": {"code": 500, "message": "internal"}}, only_for=POISON)
            request_id = rig.ask(*texts_with(3, count=10))
            settle(rig, 20)

            assert places_set_aside(rig, request_id, texts_with(3, count=10)) == [3]


def test_a_text_that_takes_too_long_is_found_too(make_rig: Callable[..., Rig]) -> None:
    """itlackey/akm#874: of a call that takes too long nothing is kept."""
    rig = make_rig(space=SPACE, timeout_s=0.4)
    rig.server.always = Reply(held=True, only_for=POISON)
    request_id = rig.ask(*texts_with(3, count=8))
    settle(rig, 20)

    assert places_set_aside(rig, request_id, texts_with(3, count=8)) == [3]


def test_a_single_text_whose_vector_has_another_size_changes_nothing_for_the_others(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for size in [1, DIMENSIONS - 1, DIMENSIONS + 1, 2 * DIMENSIONS]:
        with subtests.test(size=size):
            rig = make_rig(space=SPACE)
            rig.vectors(rig.ask("before"))
            rig.server.always = Reply(spoil=partial(of_size, size), only_for=POISON)

            answer = embedded(rig, rig.ask(POISON))
            assert (answer.model, answer.put_off) == (f"openai/test-embedding/{DIMENSIONS}", (0,))
            assert rig.figures()["dimensions"] == DIMENSIONS
            assert len(rig.vectors(rig.query("question"))[0]) == DIMENSIONS


def test_a_text_is_set_aside_until_the_next_start_and_costs_no_more_calls(
    make_rig: Callable[..., Rig],
) -> None:
    rig = make_rig(space=SPACE)
    rig.server.always = Reply(status=500, only_for=POISON)
    embedded_once = rig.ask("one", POISON)
    settle(rig, 20)
    assert places_set_aside(rig, embedded_once, ["one", POISON]) == [1]
    calls = len(rig.server.seen)

    again = embedded(rig, rig.ask(POISON, "two"))

    assert (again.set_aside, without(again)) == ((0,), [0])
    assert [seen.texts for seen in rig.server.seen[calls:]] == [["two"]]
    rig = make_rig(space=SPACE)
    assert embedded(rig, rig.ask(POISON)).set_aside == ()


# the server


def test_a_server_that_is_down_costs_one_call_a_pause_and_no_text(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = DOWN
    request_id = rig.ask(*texts_with(3))
    rig.wait_until(calls_in_flight=0)
    first = len(rig.server.seen)
    for _ in range(60):
        rig.pass_time(1)
        rig.wait_until(calls_in_flight=0)

    assert first <= 3  # both calls of 32 texts, and a probe
    assert len(rig.server.seen) <= first + 6  # after 1, 2, 4, 8, 16, 32 s
    assert {tuple(seen.texts) for seen in rig.server.seen[first:]} == {("hello",)}
    assert rig.figures()["texts_without_vector"] == 0
    rig.server.always = Reply()
    settle(rig)
    assert embedded(rig, request_id).set_aside == ()


def test_an_outage_of_any_length_sets_no_good_text_aside(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for calls in (1, 2, 3, 4, 7, 11):
        with subtests.test(calls=calls):
            rig = make_rig(space=SPACE)
            rig.server.script = [DOWN] * calls
            request_id = rig.ask(*texts_with())
            settle(rig, 900)

            assert embedded(rig, request_id).set_aside == ()


def test_a_bad_text_is_found_after_an_outage(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.script = [DOWN] * 6
    rig.server.always = Reply(status=500, only_for=POISON)
    request_id = rig.ask(*texts_with(9))
    settle(rig)

    assert places_set_aside(rig, request_id, texts_with(9)) == [9]


def test_a_text_that_ends_the_servers_process_is_found(google_genai: None) -> None:
    """ggml-org/llama.cpp#12836, gpustack/gpustack#1407: a text is too much for the server's process."""
    with FragileServer(calls_down=2) as server:
        rig = Rig(server, SPACE)
        request_id = rig.ask(*texts_with(5, count=16))
        settle(rig)
        bad = places_set_aside(rig, request_id, texts_with(5, count=16))
        rig.system.stop()

    assert bad == [5]
    assert server.ends <= 16


def test_good_texts_are_not_kept_waiting_by_many_bad_ones(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = Reply(status=500, only_for=POISON)
    bad = rig.ask(*texts_with(*range(32), count=32))
    for second in range(10):
        rig.wait_until(calls_in_flight=0)
        assert embedded(rig, rig.ask(f"a good text {second}")).set_aside == ()
        rig.pass_time(0.1)
    settle(rig, 1_000)

    assert embedded(rig, bad).put_off == tuple(range(32))
    assert len(rig.server.seen) <= 8 * 32


def test_bad_texts_alone_are_spaced_out(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = Reply(status=500, only_for=POISON)
    rig.ask(*texts_with(*range(32), count=32))
    for _ in range(20):
        rig.wait_until(calls_in_flight=0)
        rig.pass_time(0.1)

    assert len(rig.server.seen) <= 60
    assert rig.figures()["requests_waiting"] == 1


# questions


def test_questions_are_answered_while_a_bad_text_is_looked_for(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = Reply(status=500, only_for=POISON)
    rig.ask(*texts_with(1))
    for number in range(5):
        assert len(rig.vectors(rig.query(f"question {number}"))) == 1
        rig.pass_time(0.2)


def test_a_question_in_a_pause_is_tried_at_once(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = DOWN
    document = rig.ask("document")
    for _ in range(100):
        rig.wait_until(calls_in_flight=0)
        rig.pass_time(rig.pause_s())
        if rig.pause_s() > 200:
            break
    rig.wait_until(calls_in_flight=0)
    rig.server.always = Reply()

    assert len(rig.vectors(rig.query("question"))) == 1
    assert len(rig.vectors(document)) == 1  # it works again: documents need not wait either


def test_a_question_in_a_pause_costs_one_call_and_makes_no_pause_longer(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = DOWN
    rig.ask("document")
    rig.wait_until(calls_in_flight=0)
    rig.pass_time(rig.pause_s() + 0.1)
    rig.wait_until(calls_in_flight=0, calls_failed=3)
    calls, pause_s = len(rig.server.seen), rig.pause_s()

    failures = [rig.failure(rig.query(f"question {number}", deadline_s=1.0)) for number in range(20)]

    assert all("500" in failure.reason and not failure.is_permanent for failure in failures)
    assert len(rig.server.seen) == calls + 20
    assert rig.pause_s() == pause_s


def test_a_question_waits_half_a_second_at_most_for_a_server_that_hangs(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(space=SPACE, timeout_s=0.3)
    rig.server.always = Reply(held=True)
    rig.ask("document")
    rig.wait_until(state="failing", calls_in_flight=0)
    question = rig.query("question", deadline_s=5.0)
    rig.pass_time(0.5)

    assert isinstance(rig.answer(question), EmbeddingFailed)


def test_a_bad_question_keeps_no_other_question_waiting(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for reply in [Reply(status=500, only_for=POISON), Reply(held=True, only_for=POISON)]:
        with subtests.test(reply=reply):
            rig = make_rig(space=SPACE)
            rig.server.always = reply
            bad = [rig.query(f"{POISON} {number}") for number in range(6)]
            good = [rig.query(f"question {number}") for number in range(12)]

            assert [len(rig.vectors(request_id)) for request_id in good] == [1] * 12
            if reply.held:
                rig.pass_time(5)
            assert all(isinstance(rig.answer(request_id), EmbeddingFailed) for request_id in bad)


def test_questions_of_two_requests_share_no_call(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.script = [Reply(held=True)] * 8
    first = [rig.query(f"question {number}") for number in range(8)]
    rig.server.wait_for_calls(8)
    rest = [rig.query(f"later {number}") for number in range(8)]
    rig.wait_until(requests_waiting=16)
    rig.server.release()
    for request_id in (*first, *rest):
        rig.vectors(request_id)

    assert {len(seen.texts) for seen in rig.server.seen} == {1}


def test_a_question_that_takes_too_long_takes_no_others_place(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = Reply(held=True, only_for=POISON)
    for number in range(8):
        rig.query(f"{POISON} {number}", deadline_s=1.0)
    rig.server.wait_for_calls(8)
    rig.pass_time(1.1)

    assert len(rig.vectors(rig.query("question"))) == 1


def test_documents_with_a_deadline_share_no_call_with_another_requests(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.script = [Reply(held=True)] * 8
    held = [rig.ask(f"text {number}") for number in range(8)]
    rig.server.wait_for_calls(8)
    rest = [rig.ask(f"fact {number}", role=TextRole.DOCUMENT, deadline_s=30) for number in range(3)]
    rest += [rig.ask(f"turn {number}") for number in range(3)]
    rig.wait_until(requests_waiting=14)
    rig.server.release()
    for request_id in (*held, *rest):
        rig.vectors(request_id)

    assert ["turn 0", "turn 1", "turn 2"] in [seen.texts for seen in rig.server.seen]
    assert all(len(seen.texts) == 1 for seen in rig.server.seen if seen.texts[0].startswith("fact"))


# the size of calls


def one_for_all(vectors: Vectors) -> Vectors:
    return vectors[:1]


def test_a_provider_that_makes_one_text_of_a_list_is_asked_text_by_text_without_a_pause(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    """AstrBotDevs/AstrBot#8537: three texts get one vector."""
    for space in [OPENAI, SPACE]:
        with subtests.test(space=space):
            rig = make_rig(space=space)
            rig.server.always = Reply(spoil=one_for_all)

            assert [len(vector) for vector in rig.vectors(rig.ask("one", "two", "three"))] == [DIMENSIONS] * 3
            assert [len(vector) for vector in rig.vectors(rig.ask("four", "five", "six"))] == [DIMENSIONS] * 3
            calls = len(rig.server.seen)
            assert len(rig.vectors(rig.ask(*texts_with(count=10)))) == 10

            assert [len(seen.texts) for seen in rig.server.seen[calls:]] == [1] * 10
            assert "hello" not in rig.server.texts


def test_google_is_asked_for_one_vector_a_text_whatever_the_model(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    """AstrBotDevs/AstrBot#8534: for some models the client makes one content of a list of strings."""
    for model in ["gemini-embedding-001", "gemini-embedding-2", "gemini-embedding-2-preview"]:
        with subtests.test(model=model):
            rig = make_rig(space=Space(Provider.GOOGLE, model, DIMENSIONS))

            assert len(rig.vectors(rig.ask("one", "two", "three"))) == 3
            assert [seen.texts for seen in rig.server.seen] == [["one", "two", "three"]]


def test_a_server_that_takes_fewer_texts_a_call_is_given_fewer(subtests: pytest.Subtests) -> None:
    """memodb-io/memobase#142, huggingface/text-embeddings-inference#50: ten texts, or 32, are the most in one call."""
    for status in [400, 413, 422, 500]:
        with subtests.test(status=status):
            with SmallServer(status) as server:
                rig = Rig(server, SPACE)
                first = rig.ask(*texts_with())
                settle(rig)
                assert embedded(rig, first).set_aside == ()
                calls = len(server.seen)
                second = rig.ask(*[f"more {number}" for number in range(64)])
                settle(rig)
                assert embedded(rig, second).set_aside == ()
                rig.system.stop()

            assert {len(seen.texts) for seen in server.seen[calls:]} == {8}


# texts that servers stumble over


def test_odd_characters_reach_the_server_and_keep_no_other_text_from_it(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    """dnotitia/akb#527, openai/openai-python#576: a zero byte, or nothing at all, spoils a whole call."""
    for space, text in product(
        [GOOGLE, OPENAI, SPACE],
        ["\0", "a\0b", "\ud800", "a\ud800b", "<|endoftext|>", "\u200b", "\ufeff", "\u202e", " \0 "],
    ):
        with subtests.test(text=text, space=space):
            rig = make_rig(space=space)

            answer = embedded(rig, rig.ask("one", text, "three"))

            assert without(answer) == []


# trouble that passes, and refusals that are about one text


PASSING = {
    "500": Reply(status=500, only_for=POISON),
    "400": Reply(status=400, body={"error": {"message": "could not embed"}}, only_for=POISON),
    "reset": Reply(reset=True, only_for=POISON),
    "NaN vectors": Reply(spoil=all_nan, only_for=POISON),
}


def test_a_text_that_fails_for_some_minutes_is_not_set_aside(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    """MrAliev/local-ai-developer-toolkit#349: a server refuses a call with 400 that it takes a little later."""
    for seconds, reply in product([3, 25, 100], PASSING.values()):
        with subtests.test(reply=reply, seconds=seconds):
            rig = make_rig(space=SPACE)
            texts = texts_with(3, count=8)
            rig.server.always = reply
            request_id = rig.ask(*texts)
            settle(rig, 10)
            answer, left = embedded(rig, request_id), seconds
            assert (without(answer), answer.set_aside) == ([3], ())
            while answer.put_off and left > 0:
                rig.pass_time(answer.again_s)
                left -= round(answer.again_s)
                rig.server.always = reply if left > 0 else Reply()
                again = rig.ask(texts[3])
                settle(rig, 10)
                answer = embedded(rig, again)

            assert (without(answer), answer.put_off, answer.set_aside) == ([], (), ())
            assert rig.figures()["texts_without_vector"] == 0


def test_a_text_that_is_put_off_costs_no_call_before_it_is_due_and_then_one_of_its_own(openai_rig: Rig) -> None:
    rig, other = openai_rig, f"other {POISON}"
    rig.server.always = Reply(status=500, only_for=POISON)
    first = rig.ask("one", POISON, other)
    settle(rig, 10)
    again_s, calls = embedded(rig, first).again_s, len(rig.server.seen)
    rig.pass_time(again_s / 2)

    early = embedded(rig, rig.ask(POISON, "two"))
    assert (early.put_off, without(early)) == ((0,), [0])
    assert early.again_s == pytest.approx(again_s / 2)
    assert [seen.texts for seen in rig.server.seen[calls:]] == [["two"]]

    rig.pass_time(again_s / 2)
    late = rig.ask("three", POISON, other, "four")
    settle(rig, 10)
    assert embedded(rig, late).put_off == (1, 2)
    asked = [seen.texts for seen in rig.server.seen[calls + 1 :] if seen.texts != ["hello"]]
    assert sorted(asked) == [[other], [POISON], ["three", "four"]]


def test_what_is_set_aside_in_one_role_is_asked_for_in_the_other(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for role in TextRole:
        with subtests.test(role=role):
            rig = make_rig(space=SPACE)
            rig.server.always = Reply(status=413, only_for=POISON)
            if role is TextRole.DOCUMENT:
                assert embedded(rig, rig.ask(POISON)).set_aside == (0,)
                rig.server.always = Reply()
                assert len(rig.vectors(rig.query(POISON))[0]) == DIMENSIONS
            else:
                rig.failure(rig.query(POISON))
                rig.failure(rig.query(POISON))
                rig.server.always = Reply()
                assert len(rig.vectors(rig.ask(POISON))[0]) == DIMENSIONS


def test_a_question_that_is_put_off_is_refused_until_it_is_due(openai_rig: Rig) -> None:
    rig = openai_rig
    rig.server.always = Reply(status=500, only_for=POISON)
    assert "500" in rig.failure(rig.query(POISON)).reason
    rig.server.always = Reply()
    calls = len(rig.server.seen)

    assert "500" in rig.failure(rig.query(POISON)).reason
    assert len(rig.server.seen) == calls
    rig.pass_time(30)
    assert len(rig.vectors(rig.query(POISON))[0]) == DIMENSIONS


REFUSED_ACCOUNT = {
    "firewall": Reply(status=403, body=b"<html>Request blocked</html>", only_for=POISON),
    "no such page": Reply(status=404, body=b"<html>404</html>", only_for=POISON),
    "words of the text": Reply(status=400, body={"error": "input 'insufficient_quota' is not valid"}, only_for=POISON),
    "key in the text": Reply(status=400, body={"error": "input 'API_KEY_INVALID' is not valid"}, only_for=POISON),
}


def test_a_text_for_which_the_account_seems_to_be_refused_switches_nothing_off(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    """amazon-archives/aws-waf-sample#30: a firewall before the server answers 403 to a certain word."""
    for reply, space in product(REFUSED_ACCOUNT.values(), [GOOGLE, SPACE]):
        with subtests.test(space=space, reply=reply):
            rig = make_rig(space=space)
            rig.server.always = reply
            request_id = rig.ask(*texts_with(3, count=8))
            assert len(rig.vectors(rig.query("question"))[0]) == DIMENSIONS
            settle(rig, 20)

            assert places_set_aside(rig, request_id, texts_with(3, count=8)) == [3]
            assert rig.figures()["state"] == "working"
            assert len(rig.vectors(rig.query("another"))[0]) == DIMENSIONS


def test_a_key_that_is_refused_sets_no_text_aside(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    for status in [401, 402, 403]:
        with subtests.test(status=status):
            rig = make_rig(space=SPACE)
            rig.vectors(rig.ask("before"))
            rig.server.always = Reply(status=status, body={"error": {"message": "no"}})
            refused = [rig.failure(rig.ask(*texts_with(count=40))), rig.failure(rig.query("question"))]
            assert all(failure.is_permanent for failure in refused)
            rig.server.always = Reply()
            rig.pass_time(600)
            rig.wait_until(state="working")

            assert without(embedded(rig, rig.ask(*texts_with(count=40)))) == []
            assert len(rig.vectors(rig.query("question"))[0]) == DIMENSIONS


def test_a_text_for_which_a_wait_is_asked_keeps_no_other_waiting_for_ever(
    make_rig: Callable[..., Rig], subtests: pytest.Subtests
) -> None:
    for status in [429, 503]:
        with subtests.test(status=status):
            rig = make_rig(space=SPACE)
            rig.server.always = Reply(status=status, body=b"", headers={"Retry-After": "5"}, only_for=POISON)
            rig.ask(*texts_with(3, count=8))
            for number in range(60):
                rig.wait_until(calls_in_flight=0)
                rig.ask(f"good {number}")
                rig.pass_time(1)
            rig.wait_until(calls_in_flight=0)
            answered = sum(f"good {number}" in rig.server.texts for number in range(60))
            assert answered >= 50
