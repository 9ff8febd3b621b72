from __future__ import annotations

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from actors.discord.calls import addresses

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route


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


def test_an_address_that_is_none_is_refused(subtests: pytest.Subtests) -> None:
    for api, gateway in [("discord.com", ""), ("", "https://x"), ("ws://x/", ""), ("http://", "")]:
        with subtests.test(api=api, gateway=gateway), pytest.raises(ValueError, match="must be"):
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
