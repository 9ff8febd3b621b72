"""Settings of servers of the Model Context Protocol."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from actors.settings.frozen_map import FrozenMap
from actors.settings.secret import is_provider_secret
from actors.settings.snowflake import Snowflake
from actors.settings.table import Folder, Number, Table


def _server_name(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", value):
        raise ValueError("must be 1 to 32 characters of a-z, 0-9, _ and -, the first a letter or digit")
    return value


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", value):
        raise ValueError("must be the name of a variable: letters, digits and _, the first no digit")
    return value


def _optional_secret_name(value: object) -> object:
    return value if value == "" else _secret_name(value)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _secret_name(value: object) -> object:
    if not isinstance(value, str) or not is_provider_secret(value):
        raise ValueError("must be the name of a secret in secrets.env, such as GITHUB_API_KEY; never the secret itself")
    return value


def _word(value: str) -> str:
    if not value or "\0" in value:
        raise ValueError("must be a word of a command, not empty and without NUL")
    return value


ServerName = Annotated[str, AfterValidator(_server_name)]
SecretName = Annotated[str, BeforeValidator(_secret_name)]
MOST_SERVERS = 100


class McpServer(Table):
    """Server of the Model Context Protocol: a program of this machine, or a place on the web."""

    command: tuple[Annotated[str, AfterValidator(_word)], ...] = Field(default=(), max_length=100)
    """Program and its arguments; the program speaks over stdin and stdout."""
    url: str = ""
    """Address of a server with streamable HTTP."""
    key: Annotated[str, BeforeValidator(_optional_secret_name)] = ""
    """Name of the secret for `url`, sent as a bearer token."""
    env: FrozenMap[Annotated[str, AfterValidator(_variable)], SecretName] = Field(default_factory=FrozenMap)
    """Variable of the program -> name of the secret for its value."""
    network: Literal["none", "full"] = "none"
    """Network of the program."""
    read: tuple[Folder, ...] = Field(default=(), max_length=20)
    """Folders open to the program for reading and running, besides the system's."""
    write: tuple[Folder, ...] = Field(default=(), max_length=20)
    """Folders open to the program for changes."""
    channels: tuple[Snowflake, ...] = Field(default=(), max_length=1_000)
    """Channels allowed to use the server, with their threads; a category stands for its channels. Empty for all."""
    timeout_s: Number = Field(default=60.0, gt=0, le=600)
    """Longest time of a call; a server's start has as long, but 10 to 60 s."""

    @field_validator("command")
    @classmethod
    def _has_a_rooted_program(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Require a bare program name or an absolute path.

        Without a sandbox the program starts in /tmp, where any user of the machine could put a program at a relative
        path.
        """
        if value and "/" in value[0] and not value[0].startswith("/"):
            raise ValueError("must begin with a program: its name alone, or its path from / on")
        return value

    @field_validator("url")
    @classmethod
    def _is_safe(cls, value: str) -> str:
        if not value:
            return value
        rule = "must be an address that begins with https://, or with http:// and a loopback address, without a user"
        try:
            url = urlsplit(value)
            fits = url.scheme in ("http", "https") and url.hostname and url.port != 0 and "@" not in url.netloc
        except ValueError as error:
            raise ValueError(rule) from error
        if not fits or not value.isascii() or not value.isprintable() or " " in value or "#" in value:
            raise ValueError(rule)
        if url.scheme == "http" and not _is_loopback(url.hostname or ""):
            raise ValueError(rule)
        return value

    @model_validator(mode="after")
    def _is_one_kind(self) -> McpServer:
        if bool(self.command) == bool(self.url):
            raise ValueError("must have either command, of a program, or url, of a server on the web")
        others = ("env", "network", "read", "write") if self.url else ("key",)
        if wrong := [name for name in others if getattr(self, name) not in ("", "none", (), FrozenMap())]:
            raise ValueError(f"{wrong[0]} is for a server with {'command' if self.url else 'url'}")
        return self


class Mcp(Table):
    """Servers of the Model Context Protocol, with tools called by the skill `mcp`."""

    idle_minutes: Number = Field(default=10.0, gt=0, le=1_440)
    """Minutes without a call after which a server is ended; the next call starts the server again."""
    servers: FrozenMap[ServerName, McpServer] = Field(default_factory=FrozenMap)

    @property
    def channels(self) -> frozenset[str]:
        """Channels named by any server."""
        return frozenset(channel for server in self.servers.values() for channel in server.channels)

    @property
    def is_for_all(self) -> bool:
        """True if every channel may use a server."""
        return any(not server.channels for server in self.servers.values())

    @field_validator("servers")
    @classmethod
    def _are_few(cls, value: FrozenMap[str, McpServer]) -> FrozenMap[str, McpServer]:
        if len(value) > MOST_SERVERS:
            raise ValueError(f"must be at most {MOST_SERVERS} servers")
        return value
