from __future__ import annotations

from typing import Any

import pytest

from actors.cli.setup.permissions import (
    ALL_NEEDED,
    NEEDED,
    has_content_intent,
    in_channel,
    invite_link,
    missing,
    readable_channels,
)

GUILD = {"id": "1", "roles": [{"id": "1", "permissions": str(1 << 10)}, {"id": "5", "permissions": str(1 << 11)}]}
BOT = {"user": {"id": "9"}, "roles": ["5"]}


def exception(key: str, allow: int = 0, deny: int = 0) -> dict[str, Any]:
    return {"id": key, "allow": str(allow), "deny": str(deny)}


def test_the_link_asks_for_the_six_and_nothing_more() -> None:
    assert ALL_NEEDED == 274878008384
    assert invite_link("42").endswith("client_id=42&scope=bot+applications.commands&permissions=274878008384")


def test_each_permission_that_lacks_is_named(subtests: pytest.Subtests) -> None:
    for name in NEEDED:
        with subtests.test(name=name):
            assert missing(ALL_NEEDED & ~NEEDED[name]) == (name,)
            assert missing(1 << 3) == ()


def test_a_channels_exceptions_go_over_the_servers_roles(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[dict[str, Any]], int]] = [
        ([], (1 << 10) | (1 << 11)),
        ([exception("1", deny=1 << 10)], 1 << 11),
        ([exception("1", deny=1 << 10), exception("5", allow=1 << 10)], (1 << 10) | (1 << 11)),
        ([exception("5", allow=1 << 10), exception("9", deny=1 << 10)], 1 << 11),
        ([exception("7", deny=1 << 10)], (1 << 10) | (1 << 11)),
        ([exception("9", allow=1 << 15)], (1 << 10) | (1 << 11) | (1 << 15)),
    ]
    for exceptions, expected in cases:
        with subtests.test(exceptions=exceptions, expected=expected):
            assert in_channel(GUILD, BOT, {"permission_overwrites": exceptions}) == expected


def test_an_administrator_may_everything_everywhere() -> None:
    guild = {"id": "1", "roles": [{"id": "1", "permissions": str(1 << 3)}]}
    assert missing(in_channel(guild, BOT, {"permission_overwrites": [exception("9", deny=ALL_NEEDED)]})) == ()


def test_channels_stand_in_discords_order_under_their_categories() -> None:
    channels = [
        {"id": "3", "name": "late", "type": 0, "position": 2, "parent_id": "8"},
        {"id": "2", "name": "early", "type": 5, "position": 1, "parent_id": "8"},
        {"id": "8", "name": "Rooms", "type": 4, "position": 0},
        {"id": "7", "name": "voice", "type": 2, "position": 0},
        {"id": "1", "name": "top", "type": 0, "position": 9, "parent_id": None},
    ]
    assert [(heading, each["name"]) for heading, each in readable_channels(channels)] == [
        ("", "top"),
        ("Rooms", "early"),
        ("Rooms", "late"),
    ]


def test_either_form_of_the_content_intent_counts(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, bool]] = [(0, False), (1 << 18, True), (1 << 19, True), (1 << 15, False)]
    for flags, expected in cases:
        with subtests.test(flags=flags, expected=expected):
            assert has_content_intent({"flags": flags}) is expected
            assert has_content_intent({}) is False
