"""Calls of a server by its address: what is sent, what is understood, and what a server can do wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.http_client.connections import MOST_ANSWER_BYTES
from actors.kernel import LoopThread
from actors.model.answer import MOST_CHARS
from actors.model.route import refusal_of
from domain.turn.bash_tool import BASH_TOOL
from lab.loopback_model.server import Answer, Behaviour, Call, CutOff, Delayed, LoopbackModel, Raw, Refusal, Stall
from messages.base import RequestId
from messages.model import ChatMessage, ImageFile, ModelRequest, Role, StopReason, ToolCall, ToolSpec
from tests.actors.model.bench import Bench, user, window
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
KEYS = {"OPENAI_API_KEY": "sk-right", "OTHER_API_KEY": "sk-other"}


class Direct(Bench):
    """Bench whose requests name the loopback server themselves; of litellm it needs nothing."""

    def direct(self, *messages: ChatMessage, **settings: Any) -> ModelRequest:
        given = {"api_base": self.server.api_base, "model": "small", "tools": ()} | settings
        return self.request(*messages, **given)

    def send(self, *messages: ChatMessage, **settings: Any) -> RequestId:
        request = self.direct(*messages, **settings)
        self.tell(request)
        return request.request_id


@pytest.fixture
def make_direct(server: LoopbackModel) -> Iterator[Callable[..., Direct]]:
    made: list[Direct] = []

    def make(**settings: object) -> Direct:
        made.append(Direct(server, **({"name": "offline", "api_base": "", "api_keys": KEYS} | settings)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for bench in made:
        bench.system.stop()


@pytest.fixture
def direct(make_direct: Callable[..., Direct]) -> Direct:
    return make_direct()


def whole(message: object, **more: object) -> Raw:
    """An answer's body with that message."""
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]} | more
    return Raw(json.dumps(body).encode(), "application/json")


# what is sent


def test_a_request_is_sent_in_openais_form_and_not_streamed(direct: Direct) -> None:
    direct.server.script(Answer("yes", usage=(31, 2)))

    reply = direct.reply(direct.send(user("is it so?"), system_prompt="Be brief.", model="qwen3:8b"))

    (sent,) = direct.server.requests()
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["content-type"] == "application/json"
    assert sent.body == {
        "model": "qwen3:8b",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "is it so?"}],
    }
    assert (reply.text, reply.model, reply.stop_reason, reply.tool_calls) == ("yes", "qwen3:8b", StopReason.STOP, ())
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost_usd) == (31, 2, 0.0)


def test_tools_are_offered_and_their_calls_understood(direct: Direct) -> None:
    direct.server.script(Answer(calls=(Call("bash", '{"command": "ls"}', "a"), Call("bash", "{}", "b"))))

    reply = direct.reply(direct.send(tools=(BASH_TOOL,)))

    (sent,) = direct.server.requests()
    assert [tool["function"]["name"] for tool in sent.body["tools"]] == [BASH_TOOL.name]
    assert reply.stop_reason is StopReason.TOOL_CALLS
    assert [(call.id, call.arguments_json) for call in reply.tool_calls] == [("a", '{"command": "ls"}'), ("b", "{}")]


def test_calls_that_a_server_numbers_alike_stay_apart(direct: Direct) -> None:
    calls = [
        {"index": 0, "id": f"c{n}", "type": "function", "function": {"name": "bash", "arguments": f'{{"n": {n}}}'}}
        for n in range(2)
    ]
    direct.server.script(whole({"content": None, "tool_calls": calls}))

    reply = direct.reply(direct.send(tools=(BASH_TOOL,)))

    assert [(call.id, call.arguments_json) for call in reply.tool_calls] == [("c0", '{"n": 0}'), ("c1", '{"n": 1}')]


def test_a_history_with_calls_is_told_in_words_where_no_tool_is_offered(direct: Direct) -> None:
    history = (
        ChatMessage(
            role=Role.ASSISTANT, text="", tool_calls=(ToolCall(id="a", name="bash", arguments_json='{"x": 1}'),)
        ),
        ChatMessage(role=Role.TOOL, text="done", tool_call_id="a"),
    )

    direct.reply(direct.send(user("go"), *history))

    (sent,) = direct.server.requests()
    assert "tools" not in sent.body
    assert [message["role"] for message in sent.body["messages"][-2:]] == ["assistant", "user"]
    assert "bash was called" in sent.body["messages"][-2]["content"]


def test_images_are_told_of_and_not_sent(direct: Direct) -> None:
    image = ImageFile(path="attachments/1/a.png", media_type="image/png")

    direct.reply(direct.send(ChatMessage(role=Role.USER, text="look", images=(image,)), system_prompt=""))

    (sent,) = direct.server.requests()
    assert "a.png is not shown to you" in sent.body["messages"][0]["content"]


def test_halves_of_surrogate_pairs_do_not_stop_a_call(direct: Direct) -> None:
    direct.reply(direct.send(user("a\ud800b"), system_prompt="\udfff"))

    assert direct.server.requests()[0].last_text == "a\ufffdb"


def test_the_key_is_the_one_of_that_name_and_no_other(
    direct: Direct, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password sk-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("NO_API_KEY", "sk-environment")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    headers = {
        "OPENAI_API_KEY": "Bearer sk-right",
        "OTHER_API_KEY": "Bearer sk-other",
        "": None,
        "NO_API_KEY": None,
    }
    for key_name in headers:
        direct.reply(direct.send(key_name=key_name))

    assert [sent.headers.get("authorization") for sent in direct.server.requests()] == [*headers.values()]


def test_a_slash_at_the_end_of_the_address_is_no_matter(direct: Direct) -> None:
    direct.reply(direct.send(api_base=f"{direct.server.api_base}/"))

    assert direct.server.requests()[0].path == "/v1/chat/completions"


def test_a_connection_is_used_again(direct: Direct) -> None:
    for _ in range(5):
        direct.reply(direct.send())

    assert len(direct.server.connections) == 1


def test_a_server_that_redirects_is_not_followed_with_the_key(direct: Direct) -> None:
    direct.server.script(Refusal(307, headers=(("Location", f"{direct.server.api_base}/chat/completions"),)))

    failure = direct.failure(direct.send(key_name="OPENAI_API_KEY"))

    assert "refused the request (307)" in failure.reason
    assert direct.server.request_count == 1


# what is understood


def test_a_message_of_any_shape_is_an_answer(direct: Direct) -> None:
    cases: list[tuple[object, str]] = [
        ({"content": "words"}, "words"),
        ({"content": [{"type": "text", "text": "two "}, {"type": "text", "text": "parts"}]}, "two parts"),
        ({"content": [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "so"}]}, "so"),
        ({"content": "words", "tool_calls": [None, 7]}, "words"),
    ]
    empty: tuple[object, ...] = (
        {"content": ""},
        {"content": None},
        {},
        {"content": 7, "tool_calls": "none", "reasoning_content": "hm"},
    )
    cases += [(message, "") for message in empty]
    direct.server.script(*(whole(message) for message, text in cases for _ in range(1 if text else 2)))

    for _, text in cases:
        reply = direct.reply(direct.send())
        assert (reply.text, reply.tool_calls, reply.stop_reason) == (text, (), StopReason.STOP)


def test_an_answer_that_was_cut_says_so(direct: Direct) -> None:
    direct.server.script(Answer("a long ans", finish="length"))

    assert direct.reply(direct.send()).stop_reason is StopReason.LENGTH


def test_no_reason_to_stop_is_a_stop(direct: Direct) -> None:
    direct.server.script(Raw(b'{"choices": [{"message": {"content": "x"}, "finish_reason": null}]}'))

    assert direct.reply(direct.send()).stop_reason is StopReason.STOP


def test_an_answer_as_large_as_may_be_is_taken_and_a_larger_one_is_none(make_direct: Callable[..., Direct]) -> None:
    direct = make_direct(retries=0)
    direct.server.script(whole({"content": "x" * MOST_CHARS}), whole({"content": "x" * (MOST_CHARS + 1)}))

    assert len(direct.reply(direct.send()).text) == MOST_CHARS
    assert "more than 1,000,000 characters" in direct.failure(direct.send()).reason


# what a server can do wrong

PASSING: dict[str, tuple[Behaviour, str]] = {
    "429": (Refusal(429), "answered 429 (rate limit)"),
    "500": (Refusal(500), "answered 500 (server error)"),
    "503": (Refusal(503), "answered 503 (server error)"),
    "cut before the header": (CutOff(), "broke off its answer"),
    "cut after text": (CutOff("half an ans"), "broke off its answer"),
    "a page": (Raw(b"<html>captive portal</html>"), "not a model's answer"),
    "a proxy's 502 page": (Raw(b"<html>Bad gateway</html>", status=502), "answered 502 (server error)"),
    "an endless 503 page": (Raw(b"x" * (MOST_ANSWER_BYTES + 1), status=503), "answered 503 (server error)"),
    "nothing": (Raw(b"", "application/json"), "not a model's answer"),
    "no choices": (Raw(b'{"choices": []}', "application/json"), "not a model's answer"),
    "no message": (Raw(b'{"choices": [{"message": null}]}', "application/json"), "not a model's answer"),
    "an error in a 200": (Raw(b'{"error": {"message": "x"}}', "application/json"), "answered 500 (server error)"),
    "deep": (Raw(b"[" * 100_000, "application/json"), "not a model's answer"),
    "deep inside": (
        Raw(b'{"choices": [{"message": {"content": ' + b"[" * 100_000, "application/json"),
        "not a model's answer",
    ),
    "half": (Raw(b'{"choices": [{"mess', "application/json"), "not a model's answer"),
}
FINAL: dict[str, tuple[Behaviour, str]] = {
    "400": (Refusal(400, "bad"), "refused the request (400)"),
    "401": (Refusal(401, "Incorrect API key provided: sk-secret"), "key for the model's server"),
    "403": (Refusal(403), "key for the model's server"),
    "404": (Refusal(404), "is unknown (404)"),
    "context": (Refusal(400, "maximum context length is 8192 tokens"), "longer than the model accepts"),
    "402 in a 200": (Raw(b'{"error": {"code": "402", "message": "sk-1"}}', "application/json"), "no quota or credit"),
    "quota": (Refusal(429, "You exceeded your current quota", code="insufficient_quota"), "no quota or credit"),
}


OF_WHOLE_ANSWERS = {"an endless 503 page", "no message", "an error in a 200", "deep", "deep inside"}


def test_what_may_pass_is_tried_again_and_told_and_what_cannot_is_told_at_once_as_through_litellm(
    make_direct: Callable[..., Direct], make_bench: Callable[..., Bench], subtests: pytest.Subtests
) -> None:
    direct, through = make_direct(), make_bench(name="openai/test")
    for name, (behaviour, words) in {**PASSING, **FINAL}.items():
        with subtests.test(name=name):
            tries, before = 4 if name in PASSING else 1, direct.server.request_count
            direct.server.behave = partial(lambda given, _request: given, behaviour)

            failure = direct.failure(direct.send(user("the text of the request"), key_name="OPENAI_API_KEY"))

            assert words in failure.reason
            assert ("4 times" in failure.reason) == (name in PASSING)
            assert [secret for secret in ("sk-", "text of the request") if secret in failure.reason] == []
            assert failure.attempts == direct.server.request_count - before == tries
            if name not in OF_WHOLE_ANSWERS:
                theirs = through.failure(through.ask())
                assert (failure.reason, failure.attempts) == (theirs.reason, theirs.attempts)


def test_the_wait_that_a_server_asks_for_is_kept(direct: Direct) -> None:
    direct.server.script(Refusal(429, headers=(("Retry-After", "17"),)))

    direct.reply(direct.send())

    assert direct.waits == [17.0]


def test_a_server_that_asks_for_an_hour_is_given_up_at_once(direct: Direct) -> None:
    direct.server.script(Refusal(429, headers=(("Retry-After", "3600"),)))

    failure = direct.failure(direct.send())

    assert "asks to wait 3600 s" in failure.reason
    assert (failure.attempts, direct.waits) == (1, [])


@pytest.mark.parametrize("text", ["", "half an ans"])
def test_a_silent_server_is_given_up(make_direct: Callable[..., Direct], text: str) -> None:
    direct = make_direct(idle_timeout_s=0.2, retries=1)
    direct.server.script(Stall(text), Stall(text))

    assert direct.failure(direct.send()).reason == "the model's server did not answer in time 2 times"
    direct.server.wait_for_disconnects(2)


async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begin an answer, and never be silent nor done."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)


def test_a_server_that_is_never_silent_is_given_up_too(make_direct: Callable[..., Direct]) -> None:
    direct, loop = make_direct(idle_timeout_s=0.3, retries=0), LoopThread("trickle")
    loop.start()
    serving = loop.submit(asyncio.start_server(trickle, "127.0.0.1", 0)).result(PATIENCE_S)
    port = serving.sockets[0].getsockname()[1]

    failure = direct.failure(direct.send(api_base=f"http://127.0.0.1:{port}/v1"))
    loop.call(serving.close)
    loop.stop()

    assert failure.reason == "the model's server did not answer in time"


def test_a_server_that_is_not_there_is_told(make_direct: Callable[..., Direct], server: LoopbackModel) -> None:
    direct = make_direct(retries=1)
    server.stop()

    assert direct.failure(direct.send()).reason == "the model's server could not be reached 2 times"


def test_a_host_that_no_one_knows_is_told(make_direct: Callable[..., Direct]) -> None:
    direct = make_direct(retries=0)

    reason = direct.failure(direct.send(api_base="http://no-such-host.invalid/v1")).reason

    assert reason == "the model's server could not be reached"


def test_a_server_of_another_protocol_is_told(make_direct: Callable[..., Direct]) -> None:
    direct = make_direct(retries=0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        request_id = direct.send(api_base=f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        listening.settimeout(PATIENCE_S)
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
            failure = direct.failure(request_id)

    assert "not a model's answer" in failure.reason


def test_what_cannot_be_sent_is_a_failure_and_no_crash(
    make_direct: Callable[..., Direct], caplog: pytest.LogCaptureFixture
) -> None:
    direct = make_direct(api_keys={"ODD_API_KEY": "sk-secret\r\nX: y"})
    bad: list[dict[str, Any]] = [
        {"model": "a\ud800b"},
        {"key_name": "ODD_API_KEY"},
        {"tools": (ToolSpec(name="x", description="", parameters_json="{broken"),)},
    ]
    for given in bad:
        failure = direct.failure(direct.send(**given))
        assert "an unknown reason" in failure.reason
        assert "sk-secret" not in failure.reason
    assert direct.server.request_count == 0
    assert direct.reply(direct.send()).text
    direct.system.stop()  # all is logged
    assert "sk-secret" not in caplog.text
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# addresses


def test_an_address_that_is_none_is_refused_with_value_and_rule(direct: Direct) -> None:
    odd = [
        "ftp://a.example/v1",
        "file:///etc/passwd",
        "127.0.0.1:11434",
        "localhost",
        "http://",
        "http:///v1",
        "http://a.example:0/v1",
        "http://a.example:99999/v1",
        "http://a.example:x/v1",
        "http://[::1/v1",
        "http://a.example/v1?key=1",
        "http://a.example/v1#top",
        "http://a b.example/v1",
        "http://a.example/v1\n",
        "http://a.example/\x00",
        "http://a.example\\b.example/",
        " http://a.example/v1",
        "\ud800",
    ]
    for address in odd:
        failure = direct.failure(direct.send(api_base=address))
        assert failure.reason == f"api_base {address!r} must begin with http:// or https:// and name a host, " + (
            "without user, query, fragment or spaces"
        )
        assert failure.attempts == 0
    assert direct.reply(direct.send()).text
    good = ("http://127.0.0.1:11434/v1", "https://example.com", "http://[::1]:8000/v1/", "http://a.example:1/x/y")
    assert [refusal_of(address) for address in good] == [""] * 4


def test_a_password_in_an_address_is_refused_and_not_repeated(direct: Direct, caplog: pytest.LogCaptureFixture) -> None:
    failure = direct.failure(direct.send(api_base="http://me:pass@word@a.example/v1"))
    direct.system.stop()  # all is logged

    assert failure.reason.startswith("api_base 'http://…@a.example/v1' must")
    assert "pass" not in failure.reason + caplog.text


def test_a_refusal_is_short(direct: Direct) -> None:
    assert len(direct.failure(direct.send(api_base="x" * 100_000)).reason) < 400


# order, cancellation, money: as of every other call


def test_calls_of_one_purpose_are_made_one_after_the_other_and_those_of_others_beside(direct: Direct) -> None:
    direct.server.script(*[Delayed(Answer(text)) for text in "abc"])
    first = direct.send(purpose="facts.extract", of=window(1))
    direct.server.wait_for_requests(1)
    second = direct.send(purpose="facts.extract", of=window(1))
    other = direct.send(purpose="facts.reconcile", of=window(1))
    direct.server.wait_for_requests(2)

    direct.server.release()
    assert {direct.reply(first).text, direct.reply(other).text} == {"a", "b"}
    direct.server.wait_for_requests(3)
    direct.server.release()
    assert direct.reply(second).text == "c"


def test_a_call_that_is_cancelled_is_broken_off_and_nothing_is_said_of_it(direct: Direct) -> None:
    direct.server.script(Stall())
    request_id = direct.send()
    direct.server.wait_for_requests(1)

    direct.cancel(request_id)

    direct.server.wait_for_disconnects(1)
    assert direct.reply(direct.send()).text
    with pytest.raises(TimeoutError):
        direct.edge.receive(0, lambda message: getattr(message, "request_id", None) == request_id)


def test_what_a_server_says_that_it_cost_counts_for_the_day(make_direct: Callable[..., Direct]) -> None:
    direct = make_direct(daily_cost_usd=0.5)
    direct.server.script(whole({"content": "x"}, usage={"cost": 0.75}))

    direct.reply(direct.send())
    failure = direct.failure(direct.send())

    assert "0.5" in failure.reason
    assert (failure.attempts, direct.server.request_count) == (0, 1)


def test_who_waits_when_it_stops_is_told(direct: Direct) -> None:
    direct.server.script(Stall())
    request_id = direct.send()
    direct.server.wait_for_requests(1)

    direct.system.stop()

    assert "restarted" in direct.failure(request_id).reason


def test_texts_and_keys_are_never_logged(direct: Direct, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    direct.server.script(Refusal(500, "sk-right is wrong"), CutOff("an ans"), Refusal(401, "sk-right is wrong"))

    direct.failure(direct.send(user("the secret plan"), key_name="OPENAI_API_KEY"))
    direct.system.stop()  # all is logged

    assert [secret for secret in ("sk-right", "secret plan", "an ans") if secret in caplog.text] == []


PROGRAM = """
import sys
from functools import partial
from pathlib import Path
from lab.loopback_model.server import LoopbackModel
from messages.model import ModelReply
from tests.actors.model.test_direct import Direct

with LoopbackModel() as server:
    direct = Direct(server, name="offline", api_base="")
    assert isinstance(direct.end(direct.send()), ModelReply)
    direct.system.stop()
print("litellm" in sys.modules or "openai" in sys.modules)
fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(fields["VmHWM"].split()[0]) // 1024)
"""


@pytest.mark.slow
def test_litellm_is_not_loaded_and_the_process_stays_small() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert done.returncode == 0, done.stderr
    is_loaded, mib = done.stdout.split()
    assert is_loaded == "False"
    assert int(mib) < 100
