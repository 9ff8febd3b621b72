from __future__ import annotations

from collections.abc import Mapping

import pytest
from multidict import CIMultiDict

from actors.gateway.access import Caller, Door
from actors.gateway.errors import GatewayError

ALICE, OPS = "alice-key-0123456789", "schlüssel-0123456789"
OPEN, GUARDED = Door({}), Door({ALICE: "alice/", OPS: ""})


def status_of(door: Door, headers: Mapping[str, str]) -> int:
    try:
        door.caller(CIMultiDict(headers))
    except GatewayError as error:
        return error.status
    return 200


def test_a_name_that_is_not_of_this_machine_is_not_served(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "[",
        "[::1",
        "[::2]",
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "169.254.169.254",
        "0.0.0.0",
        "\udce4",
        "//127.0.0.1",
    ]
    for host in cases:
        with subtests.test(host=host):
            assert status_of(OPEN, {"Host": host}) == 403
            assert status_of(OPEN, {}) == 403


def test_a_name_of_this_machine_is(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["localhost", "LocalHost:1", "127.0.0.1:8100", "127.3.2.1", "[::1]", "[::1]:8100"]
    for host in cases:
        with subtests.test(host=host):
            assert status_of(OPEN, {"Host": host}) == 200


def test_pages_of_other_places_are_not_served(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "https://localhost:3000"}, 200),
        ({"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
    ]
    for headers, status in cases:
        with subtests.test(headers=headers, status=status):
            assert status_of(OPEN, {"Host": "localhost"} | headers) == status


def test_a_key_is_asked_for_where_there_are_any(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int]] = [
        (f"Bearer {ALICE}", 200),
        (f"bearer   {ALICE}  ", 200),
        (f"Bearer {OPS}", 200),
        (ALICE, 401),
        (f"Basic {ALICE}", 401),
        ("Bearer ", 401),
        ("", 401),
        (f"Bearer {ALICE[:-1]}", 401),
        (f"Bearer {ALICE} {ALICE}", 401),
        (f"Bearer {ALICE}\udcff", 401),
        (f"Bearer {'x' * 100_000}", 401),
        ("Bearer \0", 401),
    ]
    for shown, status in cases:
        with subtests.test(shown=shown, status=status):
            assert status_of(GUARDED, {"Host": "evil.example", "Origin": "null", "Authorization": shown}) == status


def test_a_refusal_shows_no_key() -> None:
    with pytest.raises(GatewayError) as refused:
        GUARDED.caller({"Authorization": "Bearer a-secret-of-somebody"})

    assert "a-secret-of-somebody" not in str(refused.value)


def test_a_key_is_good_for_its_prefix() -> None:
    alice, ops = (
        GUARDED.caller({"Authorization": f"Bearer {ALICE}"}),
        GUARDED.caller({"Authorization": f"Bearer {OPS}"}),
    )

    assert (alice, ops) == (Caller("alice/"), Caller(""))
    assert (alice.conversation(None), alice.conversation("alice/x"), alice.shared) == (
        "alice/default",
        "alice/x",
        "alice/global",
    )
    assert (ops.conversation(None), ops.conversation("alice/x"), ops.shared) == ("default", "alice/x", "global")


def test_another_s_conversation_is_refused_by_name(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["bob/x", "default", "global", "alice", "Alice/x", " alice/x", "x" * 10_000]
    for memory_id in cases:
        with subtests.test(memory_id=memory_id):
            with pytest.raises(GatewayError) as refused:
                Caller("alice/").conversation(memory_id)

            assert (refused.value.status, refused.value.param) == (403, "memory_id")
            assert "alice/" in str(refused.value)
            assert len(str(refused.value)) < 300
