"""Addresses of Discord: discord.py's three, shared by the whole process."""

from __future__ import annotations

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

_API = Route.BASE
_GATEWAY = DiscordWebSocket.DEFAULT_GATEWAY
_ASSETS = discord.Asset.BASE
_MEDIA = yarl.URL("https://media.discordapp.net")
_files: yarl.URL | None = None
"""Another place of attached files, as scheme, host and port."""


def point_at(api_base: str, gateway_url: str, files_base: str = "") -> None:
    """Direct every client that logs in from now on to this server; empty for Discord's own.

    Args:
        api_base: Such as `http://127.0.0.1:8787/api/v10`.
        gateway_url: Such as `ws://127.0.0.1:8787/`.
        files_base: Another address of attached files; empty for no other address.
    """
    global _files
    api = _parse_address(api_base, "api_base", ("http", "https")) if api_base else None
    gateway = _parse_address(gateway_url, "gateway_url", ("ws", "wss")) if gateway_url else None
    _files = _parse_address(files_base, "files_base", ("http", "https")).origin() if files_base else None
    Route.BASE = api_base.rstrip("/") if api else _API
    DiscordWebSocket.DEFAULT_GATEWAY = gateway or _GATEWAY
    discord.Asset.BASE = str(api.origin()) if api else _ASSETS


def file_origins() -> frozenset[yarl.URL]:
    """Origins (scheme, host, port) of attached files."""
    origins = {yarl.URL(discord.Asset.BASE).origin()}
    more = {_MEDIA} if discord.Asset.BASE == _ASSETS else set()
    return frozenset(origins | more | ({_files} if _files is not None else set()))


def _parse_address(address: str, name: str, schemes: tuple[str, ...]) -> yarl.URL:
    url = yarl.URL(address)
    if url.scheme not in schemes or not url.host:
        raise ValueError(f"{name} {address!r}: must be a {' or '.join(schemes)} address with a host")
    return url
