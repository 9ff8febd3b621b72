from __future__ import annotations

import json

from lab.load.wording import ParsedAnswer, answer, is_part_of_answer, question, read_answer, secret_of, secrets_in
from lab.loopback_model.answers import Received

OURS, THEIRS = secret_of("seed", 1), secret_of("seed", 2)


def request(*texts: str) -> Received:
    body = {"messages": [{"role": "user", "content": text} for text in texts]}
    return Received(path="/v1/chat/completions", headers={}, body=body, raw=json.dumps(body).encode())


def test_each_thread_of_a_seed_has_a_secret_of_its_own_and_always_the_same() -> None:
    secrets = [secret_of("seed", number) for number in range(1000)]

    assert len(set(secrets)) == 1000
    assert secrets[7] == secret_of("seed", 7) != secret_of("another seed", 7)


def test_an_answer_tells_the_newest_messages_turn_and_secret() -> None:
    answer_text = answer(request(question(OURS, 1), f"[2026-01-30 14:23 UTC] You:\n{question(OURS, 2)}")).text

    assert read_answer(answer_text) == ParsedAnswer(turn=2, secret=OURS)
    assert secrets_in(answer_text) == {OURS}


def test_an_answer_gives_away_a_secret_anywhere_in_the_request() -> None:
    answer_text = answer(request(f"something of {THEIRS}", question(OURS, 1))).text

    assert secrets_in(answer_text) == {OURS, THEIRS}
    assert read_answer(answer_text) == ParsedAnswer(turn=1, secret=OURS)


def test_an_answer_to_a_request_full_of_secrets_fits_one_message_and_still_shows_it() -> None:
    answer_text = answer(
        request(*(question(secret_of("seed", number), 1) for number in range(500)), question(OURS, 1))
    ).text

    assert len(answer_text) < 2000
    assert len(secrets_in(answer_text)) > 2
    assert read_answer(answer_text) is not None


def test_anything_but_a_question_gets_no_answer_that_counts() -> None:
    assert read_answer(answer(request("hello")).text) is None


def test_an_answer_that_is_still_being_written_is_known_as_one_and_not_taken_for_a_whole_one() -> None:
    answer_text = answer(request(question(OURS, 1))).text

    assert read_answer(answer_text[:-5]) is None
    assert is_part_of_answer(answer_text[:-5])
    assert not is_part_of_answer("I could not get an answer from the model.")


def with_tools(*messages: dict[str, str]) -> Received:
    body = {"messages": list(messages), "tools": [{"type": "function"}]}
    return Received("/", {}, body, json.dumps(body).encode())


def test_a_question_that_says_so_has_a_command_run_once_and_then_its_answer() -> None:
    question_text = {"role": "user", "content": question(OURS, 3, has_command=True)}
    called = {"role": "assistant", "content": ""}
    printed = {"role": "tool", "content": f"{OURS}\nexit code 0"}

    (call,) = answer(with_tools(question_text)).calls
    after = answer(with_tools(question_text, called, printed))

    assert (call.name, json.loads(call.arguments)) == ("bash", {"command": f"echo {OURS}"})
    assert after.calls == ()
    assert read_answer(after.text) == ParsedAnswer(turn=3, secret=OURS)


def test_no_command_is_run_where_none_is_asked_for_or_no_tool_is_offered() -> None:
    question_text = question(OURS, 3, has_command=True)

    assert answer(with_tools({"role": "user", "content": question(OURS, 3)})).calls == ()
    assert read_answer(answer(request(question_text)).text) == ParsedAnswer(turn=3, secret=OURS)
