"""Gateway as a process, in front of a model's server, with real clients."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from aiohttp import web

from domain.facts.prompts import FACT_SYSTEM_PROMPT, SEVERAL_MESSAGES
from tests.actors.cli.command import inherited, open_command, run
from tests.actors.facts.doubles import vector_of
from tests.actors.gateway.rig import DONE, UpstreamDouble, event, stream
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings

ANNE = "My wife is called Anne and we live in Oslo"
QUESTION = "Where do we live, my wife Anne and I?"


class Server(UpstreamDouble):
    """A model's server that also makes embeddings and finds facts."""

    def __init__(self) -> None:
        super().__init__()
        self.handler = self._answer
        self.prompts: list[str] = []
        self.bad = ""
        """Word of texts without an embedding; empty for none."""

    def _answer(self, request: web.Request) -> Any:
        asked = self.heard[-1].json if self.heard[-1].body else {}
        if request.path == "/v1/models":
            return web.json_response({"object": "list", "data": [{"id": "m", "object": "model"}]})
        if request.path == "/v1/embeddings":
            if self.bad and any(self.bad in text for text in asked["input"]):
                return web.json_response({"error": {"message": "unsupported value: NaN"}}, status=500)
            rows = [{"index": n, "embedding": _numbers(text)} for n, text in enumerate(asked["input"])]
            return web.json_response({"data": rows})
        first = asked["messages"][0]
        if first["content"] == FACT_SYSTEM_PROMPT:
            said = json.loads(asked["messages"][1]["content"].split("\n", 1)[1])
            return _completion(json.dumps(_facts_of(said)))
        if first["content"] == FACT_SYSTEM_PROMPT + SEVERAL_MESSAGES:
            several = json.loads(asked["messages"][1]["content"].split("\n", 1)[1])
            pairs = [(each["message"], fact) for each in several for fact in _facts_of(each["text"])]
            return _completion(json.dumps([{"message": number, "fact": fact} for number, fact in pairs]))
        self.prompts.append(first["content"] if first["role"] == "system" else "")
        if asked.get("tools"):
            return web.json_response(
                {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [_tool_choice()]}
            )
        if asked.get("stream"):
            usage = b'data: {"id": "x", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}\n\n'
            return stream(request, event("In "), event("Oslo."), event(finish_reason="stop"), usage, DONE)
        return _completion("In Oslo.")


def _facts_of(said: str) -> list[str]:
    return [f"The user said: {said}"] if "Anne" in said and "?" not in said else []


def _numbers(text: str) -> list[float]:
    import numpy as np

    return [float(each) for each in np.frombuffer(vector_of(text), dtype="<f4")]


def _completion(text: str) -> web.Response:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return web.json_response(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def _tool_choice() -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    return {
        "index": 0,
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
        "finish_reason": "tool_calls",
    }


STDERR_BYTES = 1 << 20
"""Room for what a gateway may say before it is read."""


class Gateway:
    """`agent gateway` in a process of its own."""

    options: tuple[str, ...] = ()

    def __init__(self, folder: Path, server: Server, **environment: str) -> None:
        self.folder = folder
        self.port = _free_port()
        write_settings(
            folder,
            f'data_root = "data"\n[layers]\nfacts = true\n[facts]\nopenai_base_url = "{server.base_url}"\n'
            f"gateway_port = {self.port}\n",
        )
        self.environment = environment
        self.process = self.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def memory(self) -> Path:
        return self.folder / "data" / "memory_db"

    def start(self) -> subprocess.Popen[bytes]:
        environment = {**inherited(), **self.environment}
        self.process = open_command(
            "agent",
            "gateway",
            *self.options,
            cwd=self.folder,
            env=environment,
            stderr=subprocess.PIPE,
            pipesize=STDERR_BYTES,
        )
        eventually(self._is_up)
        return self.process

    def kill(self, number: int = signal.SIGKILL) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.base_url, api_key="none", max_retries=0)

    def texts(self, pattern: str) -> list[str]:
        return [path.read_text().split("\n---\n", 1)[1].rstrip("\n") for path in sorted(self.memory.glob(pattern))]

    def _is_up(self) -> bool:
        assert self.process.poll() is None, self.process.communicate()[1]
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


@pytest.fixture
def gateway(tmp_path: Path, server: Server) -> Iterator[Gateway]:
    made = Gateway(tmp_path, server)
    yield made
    if made.process.poll() is None:
        assert made.kill(signal.SIGTERM) == 0


def say(client: openai.OpenAI, text: str, memory_id: str = "alice") -> str:
    answer = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": text}], extra_body={"memory_id": memory_id}
    )
    return answer.choices[0].message.content or ""


@pytest.mark.req("S2-01", "S2-38", "S2-53")
def test_openais_client_is_given_what_was_said_in_another_chat(gateway: Gateway, server: Server) -> None:
    client = gateway.client()
    assert say(client, ANNE) == "In Oslo."
    eventually(lambda: gateway.texts("entries/alice/facts/*.md") == [f"The user said: {ANNE}"])
    eventually(lambda: bool(say(client, QUESTION)) and "[memory] The user said: My wife" in server.prompts[-1])

    assert "[user]" in server.prompts[-1]
    say(client, QUESTION, "bob")
    assert server.prompts[-1] == ""


@pytest.mark.req("X-202")
def test_one_text_that_the_embedding_server_cannot_take_costs_no_owner_its_memory(
    gateway: Gateway, server: Server
) -> None:
    """ollama/ollama#12921: a server answers 500 for every call that has a certain text in it."""

    def ask(text: str, owner: str) -> tuple[str, str]:
        """Note on the memory, and the prompt that the server was given."""
        message: Any = {"role": "user", "content": text}
        raw = client.chat.completions.with_raw_response.create(
            model="m", messages=[message], extra_body={"memory_id": owner}
        )
        assert raw.parse().choices[0].message.content == "In Oslo."
        return raw.headers.get("X-Memory-Note", ""), server.prompts[-1]

    client, server.bad = gateway.client(), "hemlock"
    assert "answered 500" in ask(f"{ANNE}, with hemlock", "alice")[0]
    for owner in ("alice", "bob"):
        ask(f"{ANNE}, {owner} says", owner)
        eventually(lambda owner=owner: "My wife" in ask(QUESTION, owner)[1])  # type: ignore[misc]

    for number in range(4):
        for owner in ("alice", "bob"):
            note, given = ask(f"{QUESTION} ({number})", owner)
            assert note == ""
            assert f"{owner} says" in given
    eventually(
        lambda: sum("hemlock" in str(heard.json) for heard in server.heard if heard.path == "/v1/embeddings") > 3
    )


def test_streams_tools_lists_and_errors_are_those_of_the_server(gateway: Gateway, server: Server) -> None:
    client = gateway.client()
    said = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": ANNE}], stream=True, stream_options={"include_usage": True}
    )
    pieces = list(said)
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices) == "In Oslo."
    assert pieces[-1].usage is not None
    assert pieces[-1].usage.total_tokens == 3

    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    called = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Weather?"}], tools=[tool])
    (call,) = list(called.choices[0].message.tool_calls or [])
    assert call.type == "function"
    assert call.function.arguments == '{"city": "Oslo"}'
    assert [model.id for model in client.models.list()] == ["m"]

    server.handler = lambda _: web.json_response(
        {"error": {"message": "slow down", "type": "x"}}, status=429, headers={"Retry-After": "9"}
    )
    with pytest.raises(openai.RateLimitError) as caught:
        say(client, "hello there you")
    assert caught.value.response.headers["Retry-After"] == "9"
    with pytest.raises(openai.BadRequestError, match="memory_id"):
        client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], extra_body={"memory_id": 3}
        )


def test_an_asynchronous_client_asks_many_things_at_once(gateway: Gateway) -> None:
    async def all_at_once() -> list[str]:
        async with openai.AsyncOpenAI(base_url=gateway.base_url, api_key="none", max_retries=0) as client:
            asked = [
                client.chat.completions.create(
                    model="m",
                    messages=[{"role": "user", "content": f"{ANNE} {n}"}],
                    extra_body={"memory_id": f"c{n % 4}"},
                )
                for n in range(24)
            ]
            return [answer.choices[0].message.content or "" for answer in await asyncio.gather(*asked)]

    assert asyncio.run(all_at_once()) == ["In Oslo."] * 24
    assert len(gateway.texts("entries/*/turns/*/*.md")) == 48
    eventually(lambda: len(gateway.texts("entries/*/facts/*.md")) == 24)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl on this machine")
def test_curl_is_served(gateway: Gateway) -> None:
    body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": ANNE}]})
    command = ["curl", "-sN", f"{gateway.base_url}/chat/completions", "-d", body]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout

    assert said.endswith("data: [DONE]\n\n")
    eventually(lambda: gateway.texts("entries/default/turns/user/*.md") == [ANNE])


def test_a_kill_loses_no_turn_that_was_answered_and_makes_no_fact_twice(gateway: Gateway) -> None:
    for number in range(5):
        say(gateway.client(), f"{ANNE} {number}", f"c{number % 2}")
        gateway.kill()
        gateway.start()

    eventually(lambda: len(gateway.texts("entries/*/facts/*.md")) == 5)
    assert sorted(gateway.texts("entries/*/turns/user/*.md")) == [f"{ANNE} {number}" for number in range(5)]
    assert len(set(gateway.texts("entries/*/facts/*.md"))) == 5
    assert not list(gateway.memory.rglob(".*.new"))


@pytest.mark.req("X-225")
def test_a_second_gateway_on_the_same_folder_does_not_start(gateway: Gateway, server: Server, tmp_path: Path) -> None:
    """As modelcontextprotocol/servers#4797 and MemPalace/mempalace#1818 report of facts that stand twice."""
    other = tmp_path / "other"
    other.mkdir()
    settings = f'[layers]\nfacts = true\n[facts]\nopenai_base_url = "{server.base_url}"\ngateway_port = 0\n'
    write_settings(other, f'{settings}memory_path = "{gateway.memory}"\n')
    eventually((gateway.memory / "entries").is_dir)
    done = run("agent", "gateway", cwd=other)

    assert done.returncode == 1
    assert str(gateway.memory) in done.stderr
    assert f"process {gateway.process.pid} uses it" in done.stderr
    added = run("agent", "memory", "add", "The user likes tea", cwd=other)
    assert added.returncode == 1
    assert f"process {gateway.process.pid} holds it" in added.stderr


def test_the_command_line_adds_finds_lists_and_forgets_beside_it_and_without_it(gateway: Gateway) -> None:
    def tell(*arguments: str) -> str:
        done = run("agent", "memory", *arguments, cwd=gateway.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for is_running in (True, False):
        if not is_running:
            gateway.kill(signal.SIGTERM)
        text = f"The user likes tea, said {is_running}"
        assert "kept: entries/alice/facts/" in tell("add", text, "--memory-id", "alice")
        assert "there already" in tell("add", text, "--memory-id", "alice")
        assert text in tell("search", "likes tea", "--memory-id", "alice")
        listed = json.loads(tell("list", "--memory-id", "alice", "--json"))["entries"]
        (entry,) = (each for each in listed if each["content"] == text)
        assert "1 facts" in tell("list")
        assert "deleted/facts" in tell("forget", entry["id"])
        assert text not in tell("search", "likes tea", "--memory-id", "alice")
        assert tell("forget", entry["id"], "--for-good") == "forgotten for good\n"
        refused = run("agent", "memory", "forget", entry["id"], cwd=gateway.folder)
        assert (refused.returncode, entry["id"] in refused.stderr) == (1, True)


@pytest.mark.req("X-225")
def test_a_search_without_an_agent_waits_for_a_slow_embedding_model(gateway: Gateway, server: Server) -> None:
    gateway.kill(signal.SIGTERM)
    assert run("agent", "memory", "add", "The user likes tea", cwd=gateway.folder).returncode == 0

    async def answer_late(request: web.Request) -> Any:
        await asyncio.sleep(1.5)
        return server._answer(request)

    server.handler = answer_late
    done = run("agent", "memory", "search", "likes tea", "--memory-id", "default", cwd=gateway.folder)
    assert (done.returncode, "The user likes tea" in done.stdout) == (0, True), done


@pytest.mark.req("X-225")
def test_commands_ask_the_gateway_that_options_alone_have_started_and_add_many(tmp_path: Path, server: Server) -> None:
    """No settings file switches the layer on, and the folder of the files is elsewhere."""
    memory, port = tmp_path / "elsewhere" / "memories", _free_port()
    options = (
        *("--host", "127.0.0.1", "--port", str(port), "--memory-path", str(memory), "--model", "small"),
        *("--upstream", server.base_url, "--data", str(tmp_path / "root")),
    )
    gateway = Gateway.__new__(Gateway)
    gateway.folder, gateway.port, gateway.environment, gateway.options = tmp_path, port, {}, options
    gateway.start()
    (tmp_path / "facts.json").write_text('{"memories": ["The user has a dog", {"content": "The user has a cat"}]}')

    def tell(*arguments: str, stdin: bytes = b"") -> str:
        done = run("agent", "memory", *arguments, "--data", str(tmp_path / "root"), cwd=tmp_path, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    told = tell("add", "I like tea", "I sing", "-f", "facts.json", "-f", "-", stdin=b"- I ride\n\n* I swim\n")
    assert told.count("kept: entries/default/facts/") == 6
    added = json.loads(tell("add", "I like tea", "I row", "--json"))["added"]
    assert [each["is_new"] for each in added] == [False, True]
    assert "I swim" in tell("list", "--memory-id", "default")
    assert len(list(memory.glob("entries/default/facts/*.md"))) == 7
    say(gateway.client(), ANNE)
    eventually(lambda: "small" in {heard.json["model"] for heard in server.heard if b"messages" in heard.body})
    refused = run("agent", "memory", "add", "fine", " ", "--data", str(tmp_path / "root"), cwd=tmp_path)
    assert (refused.returncode, "fact 2 of 2: ' ' has no words" in refused.stderr) == (1, True)
    assert len(list(memory.glob("entries/default/facts/*.md"))) == 7
    assert gateway.kill(signal.SIGTERM) == 0


def test_while_the_layer_is_off_the_command_line_says_how_it_is_switched_on(tmp_path: Path) -> None:
    done = run("agent", "memory", "list", cwd=tmp_path)

    assert done.returncode == 1
    assert "[layers] facts = true" in done.stderr


@pytest.mark.req("S2-94", "X-91", "X-137")
def test_without_a_server_it_does_not_start(tmp_path: Path) -> None:
    done = run("agent", "gateway", cwd=tmp_path)

    assert done.returncode == 1
    assert "facts.openai_base_url" in done.stderr
    assert not (tmp_path / "data").exists()


def test_it_needs_little_memory_and_no_library_of_the_agent_s_models(tmp_path: Path, server: Server) -> None:
    """Python itself names the imported modules: only root reads the maps of an undumpable process."""
    gateway = Gateway(tmp_path, server, PYTHONPROFILEIMPORTTIME="1")
    for number in range(20):
        say(gateway.client(), f"{ANNE} {number}")
    status = Path(f"/proc/{gateway.process.pid}/status").read_text()
    rss_kib = int(status.split("VmRSS:")[1].split()[0])

    assert rss_kib < 200 * 1024
    gateway.process.send_signal(signal.SIGTERM)
    _, told = gateway.process.communicate(timeout=PATIENCE_S)
    modules = {line.rpartition(b"|")[2].strip().decode() for line in told.splitlines()}
    assert "apsw" in modules
    assert modules.isdisjoint({"discord", "google.genai", "litellm", "onnxruntime", "openai", "ray", "torch"})


def test_a_secret_of_clients_is_asked_for_where_one_is_set(tmp_path: Path, server: Server) -> None:
    key = "alice-secret-0123456789"
    made = Gateway.__new__(Gateway)
    made.folder, made.port, made.environment = tmp_path, _free_port(), {"ALICE_API_KEY": key}
    write_settings(
        tmp_path,
        f'[layers]\nfacts = true\n[facts]\nopenai_base_url = "{server.base_url}"\ngateway_port = {made.port}\n'
        'keys = { "alice/" = "ALICE_API_KEY" }\n',
    )
    made.start()
    try:
        with pytest.raises(openai.AuthenticationError):
            say(made.client(), ANNE, "alice/x")
        own = openai.OpenAI(base_url=made.base_url, api_key=key, max_retries=0)
        assert say(own, ANNE, "alice/x") == "In Oslo."
        with pytest.raises(openai.PermissionDeniedError):
            say(own, ANNE, "bob")
        assert all(key not in str(heard.headers) for heard in server.heard)
        assert key not in Path(f"/proc/{made.process.pid}/cmdline").read_text()
    finally:
        assert made.kill(signal.SIGTERM) == 0
    assert [path.name for path in (tmp_path / "data" / "memory_db" / "entries").iterdir()] == ["alice%2Fx"]
