"""Every setting there is, with its default and its rule; `docs/agent.example.toml` shows the same to people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from actors.settings.problem import number

_SNOWFLAKE: Final = re.compile(r"[1-9][0-9]{14,19}")


def _snowflake(value: object) -> object:
    text = str(value) if isinstance(value, int) else value
    if isinstance(text, str) and _SNOWFLAKE.fullmatch(text) and int(text) < 2**64:
        return text
    raise ValueError("must be a Discord id of 15 to 20 digits, with or without quotes")


def _snowflake_or_everyone(value: object) -> object:
    if value == "*":
        return value
    try:
        return _snowflake(value)
    except ValueError as error:
        raise ValueError(f'{error}, or "*" for everyone') from None


def _web_address(*schemes: str, may_be_empty: bool = False) -> AfterValidator:
    rule = "must be empty or" if may_be_empty else "must be"
    rule += f" an address that begins with {' or '.join(f'{s}://' for s in schemes)}, without query or fragment"

    def check(value: str) -> str:
        if may_be_empty and not value:
            return value
        try:
            url = urlsplit(value)
            fits = url.scheme in schemes and url.hostname and url.port != 0
        except ValueError as error:
            raise ValueError(rule) from error
        if not fits or re.search(r"[\s?#@\\]", value) or not value.isprintable():
            raise ValueError(rule)
        return value

    return AfterValidator(check)


def _without_slash(address: str) -> str:
    return address.rstrip("/")


def _model_name(value: str) -> str:
    if not re.fullmatch(r"[!-~]{1,200}", value):
        raise ValueError('must be "offline" or a model as litellm names it, without spaces')
    return value


def _folder(value: object) -> object:
    if isinstance(value, Path) or (isinstance(value, str) and value.strip() and "\0" not in value):
        return value
    raise ValueError("must be the path of a folder, in quotes")


Snowflake = Annotated[str, BeforeValidator(_snowflake)]
SnowflakeOrEveryone = Annotated[str, BeforeValidator(_snowflake_or_everyone)]
HttpAddress = Annotated[str, _web_address("http", "https"), AfterValidator(_without_slash)]
OptionalHttpAddress = Annotated[str, _web_address("http", "https", may_be_empty=True), AfterValidator(_without_slash)]
WebSocketAddress = Annotated[str, _web_address("ws", "wss")]
Whole = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Discord(_Table):
    """Where the bot listens and to whom."""

    api_base: HttpAddress = "https://discord.com/api/v10"
    gateway_url: WebSocketAddress = "wss://gateway.discord.gg/"
    channels: tuple[Snowflake, ...] = ()
    """Channels that are read, with their threads; none: nothing is read."""
    allowed_users: tuple[SnowflakeOrEveryone, ...] = ()
    """Who is heard; `*` is everyone. Together with `allowed_roles`; none of either: nobody."""
    allowed_roles: tuple[Snowflake, ...] = ()


class Model(_Table):
    """Which language model answers, and how it is called."""

    name: Annotated[str, AfterValidator(_model_name)] = "offline"
    """As litellm names it; `offline` is the built-in responder that needs no key."""
    api_base: OptionalHttpAddress = ""
    """Empty for the provider's own address."""
    max_history_tokens: Whole = Field(default=100_000, ge=1_000, le=10_000_000)
    concurrency: Whole = Field(default=256, ge=1, le=10_000)
    """Most calls in flight."""
    retries: Whole = Field(default=3, ge=0, le=10)
    idle_timeout_s: Number = Field(default=300.0, gt=0, le=3_600)
    """Longest silence of a call before it counts as failed."""


class Shell(_Table):
    """How commands are run."""

    max_timeout_s: Number = Field(default=600.0, gt=0, le=86_400)
    """Most that the model may ask for."""
    timeout_s: Number = Field(default=120.0, validate_default=True)
    """When the model names none; > 0 and <= `max_timeout_s`."""
    concurrency: Whole = Field(default=8, ge=1, le=1_000)
    """Most commands running at once."""

    @field_validator("timeout_s")
    @classmethod
    def _fits_below_the_maximum(cls, value: float, info: ValidationInfo) -> float:
        # A maximum that is itself wrong is missing here and has been reported.
        most = info.data.get("max_timeout_s")
        if value <= 0 or (most is not None and value > most):
            raise ValueError("must be > 0" + (f" and <= {number(most)} (shell.max_timeout_s)" if most else ""))
        return value


class Contexts(_Table):
    """How conversations are kept."""

    idle_minutes: Number = Field(default=60.0, gt=0, le=525_600)
    """A window silent for so long leaves memory; its log stays."""
    mid_turn: Literal["followup"] = "followup"
    """What a message does that arrives while a turn runs: it waits and is answered next."""
    prepare_deadline_s: Number = Field(default=5.0, gt=0, le=60)
    """Longest wait for the contributors to a turn."""


class Source(StrEnum):
    """Who decided a setting."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "env"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where settings came from; never part of a comparison, for two equal settings are equal wherever they stood."""

    file: Path | None = field(default=None, compare=False)
    """None when there was no file."""
    folder: Path = field(default=Path(), compare=False)
    """The file's folder, or the one it was looked for in; a `secrets.env` stands there."""
    sources: Mapping[str, Source] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """By dotted key; what is missing is a default."""


class Settings(BaseSettings):
    """Everything that the operator decides, secrets apart; use `actors.settings.load.load` to get one."""

    # Strings of the environment would otherwise be taken for any key, and a name such as MODEL may mean another thing.
    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    data_root: Annotated[Path, BeforeValidator(_folder)] = Path("data")
    """Absolute once loaded."""
    discord: Discord = Discord()
    model: Model = Model()
    shell: Shell = Shell()
    contexts: Contexts = Contexts()

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def origin(self) -> Origin:
        """Where they came from."""
        return self._origin

    def rooted(self, data_root: Path, origin: Origin) -> Settings:
        """The same settings with the data root resolved and a note of where they came from."""
        copy = self.model_copy(update={"data_root": data_root})
        copy._origin = origin
        return copy

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` read: it knows lines, pydantic's own sources don't."""
        return (init_settings,)
