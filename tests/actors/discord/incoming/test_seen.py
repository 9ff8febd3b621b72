from __future__ import annotations

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from actors.discord.calls import addresses
    from actors.discord.incoming.seen import Gap, SeenMessages

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route


def test_a_message_is_new_once() -> None:
    seen = SeenMessages({})
    assert [seen.is_new("w", 5), seen.is_new("w", 5), seen.is_new("w", 6)] == [True, False, True]


def test_a_gap_is_bounded_by_what_was_read_before_it() -> None:
    seen = SeenMessages({"a": "10", "b": "20"})
    seen.is_new("a", 30)
    gap = seen.gap()
    seen.is_new("a", 40)
    seen.witness(1, 50)
    assert gap == Gap({"a": 30, "b": 20}, {}, 20)
    assert seen.gap() == Gap({"a": 40, "b": 20}, {1: 50}, 20)


def test_nothing_was_ever_seen_is_told_apart_from_nobody_ever_spoke() -> None:
    seen = SeenMessages({})
    assert seen.gap().newest_of(1) is None
    seen.witness(1, 0)
    assert seen.gap().newest_of(1) == 0


def test_what_one_server_sends_says_nothing_of_another() -> None:
    seen = SeenMessages({"a": "10"})
    seen.witness(1, 50)
    seen.witness(1, 40)
    assert [seen.gap().newest_of(guild_id) for guild_id in (1, 2)] == [50, 10]


def test_what_the_bot_posts_is_no_witness_of_what_came_before() -> None:
    seen = SeenMessages({"a": "10"})
    seen.notice("x", 50)
    assert seen.gap().newest_of(1) == 10


def test_a_window_never_goes_back() -> None:
    seen = SeenMessages({"a": "10"})
    seen.reach("a", 5)
    assert seen.gap().by_window == {"a": 10}


def test_the_newest_message_of_a_channel_is_known_until_another_comes() -> None:
    seen = SeenMessages({})
    assert seen.newest_in("x") == ""
    seen.notice("x", 7)
    seen.notice("x", 6)
    assert seen.newest_in("x") == "7"


def test_what_is_remembered_is_bounded() -> None:
    seen = SeenMessages({})
    for number in range(60_000):
        seen.is_new(f"window-{number}", number)
    assert len(seen.gap().by_window) == 50_000
    assert seen.is_new("w", 0)
    assert not seen.is_new("w", 59_999)


def test_addresses_can_be_set_and_set_back() -> None:
    before = (Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE)
    addresses.point_at("http://127.0.0.1:1/api/v10/", "ws://127.0.0.1:1/")
    assert (Route.BASE, str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE) == (
        "http://127.0.0.1:1/api/v10",
        "ws://127.0.0.1:1/",
        "http://127.0.0.1:1",
    )
    addresses.point_at("", "")
    assert (Route.BASE, str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE) == (
        "https://discord.com/api/v10",
        "wss://gateway.discord.gg/",
        "https://cdn.discordapp.com",
    )
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before


@pytest.mark.parametrize(("api", "gateway"), [("discord.com", ""), ("", "https://x"), ("ws://x/", ""), ("http://", "")])
def test_an_address_that_is_none_is_refused(api: str, gateway: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        addresses.point_at(api, gateway)


def test_files_may_be_at_another_host_than_the_api() -> None:
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    addresses.point_at("https://chat.example/api/v9", "", "https://cdn.chat.example/files")
    origins = {str(origin) for origin in addresses.file_origins()}
    assert origins == {"https://chat.example", "https://cdn.chat.example"}
    addresses.point_at("", "")
    assert "https://cdn.chat.example" not in {str(origin) for origin in addresses.file_origins()}
    with pytest.raises(ValueError, match="files_base"):
        addresses.point_at("", "", "ftp://x/")
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before
