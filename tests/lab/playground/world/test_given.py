from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from lab.playground.world.given import turn_of
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S


def memories_given(server: PlaygroundServer, query: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=PATIENCE_S)
    connection.request("GET", f"/given?{query}", headers={"Authorization": f"Bearer {server.person_token}"})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_what_is_no_id_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "channel=1&message=2",
        "channel=../../../../etc&message=910000000000000011",
        "channel=*&message=910000000000000011",
    ]
    for query in cases:
        with subtests.test(query=query):
            with PlaygroundServer() as server:
                status, body = memories_given(server, query)
            assert (status, "15 to 20 digits" in body) == (400, True)


def test_without_a_bot_beside_it_nothing_is_known() -> None:
    with PlaygroundServer() as server:
        assert memories_given(server, f"channel={GENERAL_ID}&message={GENERAL_ID}") == (200, '{"given": []}')


def test_whoever_has_no_token_is_told_nothing() -> None:
    with PlaygroundServer() as server:
        connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=PATIENCE_S)
        connection.request("GET", f"/given?channel={GENERAL_ID}&message={GENERAL_ID}")
        assert connection.getresponse().status == 401
        connection.close()


def test_an_answers_turn_is_in_its_windows_log_and_its_memories_with_the_observer(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        process = Process(server, tmp_path / "data", more="[observer]\nenabled = true\n")
        process.start()
        try:
            server.accompany(tmp_path / "data", lambda: None)
            message_id = server.say(GENERAL_ID, "The spare key is under the blue pot.")
            first = server.wait_for_reply(GENERAL_ID, after=message_id, timeout_s=PATIENCE_S)
            thread = server.create_thread(GENERAL_ID, "Where things are")
            message_id = server.say(thread, "Where is the spare key?")
            answer = server.wait_for_reply(thread, after=message_id, timeout_s=PATIENCE_S)
            query = f"channel={thread}&message={answer['id']}"
            fields = json.loads(memories_given(server, query)[1])
            assert fields["given"][0]["excerpt"] == "The spare key is under the blue pot."
            assert fields["given"][0]["window"] == f"discord-channel/{GENERAL_ID}"
            assert turn_of(tmp_path / "data", str(thread), str(answer["id"])) == (fields["window"], fields["turn"])
            assert turn_of(tmp_path / "data", str(thread), str(first["id"])) == ("", "")

            message_id = server.say(thread, "What about the weather?")
            server.wait_for_reply(thread, after=message_id, timeout_s=PATIENCE_S)
            assert json.loads(memories_given(server, query)[1]) == fields, "what was told once is told again"
        finally:
            process.terminate()
