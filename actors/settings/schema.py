"""Every setting, with default and rule; `docs/agent.example.toml` shows the same to people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from actors.settings.channel_table import ChannelTable, ModelName, strange_models
from actors.settings.frozen_map import FrozenMap
from actors.settings.left_out import LeftOut
from actors.settings.mcp import Mcp
from actors.settings.operating import LocalModel, Log, Observer, Transcribe
from actors.settings.problem import number
from actors.settings.snowflake import Snowflake, SnowflakeOrCli, SnowflakeOrEveryone, SnowflakeOrNothing
from actors.settings.table import (
    Flag,
    Folder,
    HttpAddress,
    Number,
    OptionalHttpAddress,
    Table,
    WebSocketAddress,
    Whole,
    rooted_folder,
)


def _optional_name(value: str) -> str:
    if value and not re.fullmatch(r"[!-~]{1,200}", value):
        raise ValueError("must be empty or a model's name, without spaces")
    return value


def _optional_path(value: str) -> str:
    if "\0" in value or (value and not value.strip()):
        raise ValueError("must be empty or a path, in quotes")
    return value


def _folder(value: object) -> object:
    if isinstance(value, Path) or (isinstance(value, str) and value.strip() and "\0" not in value):
        return value
    raise ValueError("must be the path of a folder, in quotes")


T = TypeVar("T", bound=BaseModel)
OptionalName = Annotated[str, AfterValidator(_optional_name)]
"""A model's name, or empty text."""
OptionalPath = Annotated[str, AfterValidator(_optional_path)]
"""Path as written, or empty text."""
OptionalFolder = Annotated[str, BeforeValidator(lambda value: value if value == "" else rooted_folder(value))]
"""The same, or empty text."""
Folders = tuple[Folder, ...]
FolderOf = FrozenMap[SnowflakeOrCli, Folder]
"""Folders by the id of their owner, e.g. a channel; `cli` is the command line."""


class Discord(Table):
    """Channels of the bot, and the people heard there."""

    api_base: HttpAddress = "https://discord.com/api/v10"
    gateway_url: WebSocketAddress = "wss://gateway.discord.gg/"
    files_base: OptionalHttpAddress = ""
    """Address of attached files; empty: Discord's own addresses, or the addresses of `api_base`."""
    channels: tuple[Snowflake, ...] = ()
    """Channels read by the bot, with their threads; a category stands for its channels. Without an entry, no channel.
    """
    allowed_users: tuple[SnowflakeOrEveryone, ...] = ()
    """Users heard by the bot; `*` is everyone. Without users and `allowed_roles`, no user is heard."""
    allowed_roles: tuple[Snowflake, ...] = ()
    viewer_roles: tuple[Snowflake, ...] = ()
    """Roles that are answered too, by a model without bash."""
    answer: Literal["all", "mentions"] = "all"
    """Messages to answer: all, or mentions of the bot and replies to the bot."""
    threads: Literal["off", "auto"] = "off"
    """`auto`: a message answered in a channel opens a thread, and the conversation goes on there."""
    dms: Flag = False
    """True to answer direct messages of users heard by the bot, also messages without a mention."""
    stream: Literal["edits", "off"] = "edits"
    """Display of an answer while the model writes."""
    reactions: Flag = True
    """True to show the progress and the end of a turn by reactions."""
    reaction_after_s: Number = Field(default=1.0, ge=0, le=3_600)
    """Seconds before a waiting message shows a reaction; a failure is always shown."""
    catchup_hours: Number = Field(default=24.0, ge=0, le=8_760)
    """Messages missed for longer are put into the log and not answered."""
    turns_per_user: Whole = Field(default=120, ge=1, le=10_000)
    """Most messages of a person answered within ten minutes."""
    attachment_mib: Number = Field(default=8.0, gt=0, le=100)
    """Larger files are named to the model and not read."""
    paste_tokens: Whole = Field(default=8_000, ge=0, le=1_000_000)
    """Most tokens of attached text files in a prompt."""
    shards: Whole = Field(default=1, ge=0, le=1_000)
    """Connections that share the servers; 0 for Discord's recommended number."""


class Model(Table):
    """Language model for answers, and the form of its calls."""

    name: ModelName = "offline"
    """Name as in litellm; `offline` is the built-in responder without a key."""
    api_base: OptionalHttpAddress = ""
    """Empty for the provider's own address."""
    api: Literal["", "openai"] = ""
    """Form of requests to `api_base`, for a server unknown to litellm; empty for litellm's."""
    streams: Flag = True
    """False to ask for whole answers, of a server that streams no text or streams calls in pieces that are lost."""
    max_history_tokens: Whole = Field(default=100_000, ge=1_000, le=10_000_000)
    concurrency: Whole = Field(default=256, ge=1, le=10_000)
    retries: Whole = Field(default=3, ge=0, le=10)
    idle_timeout_s: Number = Field(default=300.0, gt=0, le=3_600)
    """Longest silence of a call before it counts as failed."""
    content_timeout_s: Number = Field(default=0.0, ge=0, le=7_200)
    """Longest time of a call without a word, thought or tool call, while its server only keeps the connection awake; 0
    for twice `idle_timeout_s`.
    """
    choices: tuple[ModelName, ...] = ()
    """Models besides `name` that people may choose for their window."""
    fallbacks: tuple[ModelName, ...] = ()
    """Models for answers in place of a model that is down, out of quota or without a valid key, in this order."""
    daily_cost_usd: Number = Field(default=0.0, ge=0, le=1_000_000)
    """Cost of a day's calls (UTC) after which no further call is begun; 0 for no cap."""

    @field_validator("content_timeout_s")
    @classmethod
    def _exceeds_silence(cls, value: float, info: ValidationInfo) -> float:
        least_s = info.data.get("idle_timeout_s", 0.0)
        if value and value < least_s:
            raise ValueError(f"must be 0, or at least model.idle_timeout_s ({least_s:g})")
        return value

    @field_validator("api_base")
    @classmethod
    def _is_not_local(cls, value: str, info: ValidationInfo) -> str:
        if value and info.data.get("name", "").startswith("local/"):
            raise ValueError("must be empty: the agent starts the server of a model on this machine itself")
        return value

    @field_validator("api")
    @classmethod
    def _has_an_address(cls, value: str, info: ValidationInfo) -> str:
        if value and info.data.get("api_base") == "":
            raise ValueError("needs model.api_base, the server's address")
        return value


class Shell(Table):
    """Execution of commands."""

    enabled: Flag = True
    """True to offer bash to the model."""
    max_timeout_s: Number = Field(default=600.0, gt=0, le=86_400)
    """Longest timeout that the model may ask for."""
    timeout_s: Number = Field(default=120.0, validate_default=True)
    """Timeout unless the model names another; > 0 and <= `max_timeout_s`."""
    concurrency: Whole = Field(default=8, ge=1, le=1_000)
    sandbox: Literal["auto", "bwrap", "bundled", "none"] = "auto"
    """`auto` is the system's bubblewrap, else the agent's own (`bundled`); where neither works commands are refused."""
    network: Literal["off", "on"] = "off"
    """Network access of commands."""
    approve: Literal["never", "outside", "always"] = "never"
    """Acts that need a person's approval: none, acts that leave the sandbox, or these acts and each command."""
    operators: tuple[Snowflake, ...] = ()
    """Discord accounts of operators, who may decide like the requester and have any message forgotten."""

    @field_validator("timeout_s")
    @classmethod
    def _fits_below_the_maximum(cls, value: float, info: ValidationInfo) -> float:
        # A maximum that is itself wrong is missing here and has been reported.
        most = info.data.get("max_timeout_s")
        if value <= 0 or (most is not None and value > most):
            raise ValueError("must be > 0" + (f" and <= {number(most)} (shell.max_timeout_s)" if most else ""))
        return value


class Contexts(Table):
    """Conversations, and their keeping."""

    idle_minutes: Number = Field(default=60.0, gt=0, le=525_600)
    """Minutes of silence after which a window leaves memory; its log stays."""
    max_calls: Whole = Field(default=100, ge=1, le=10_000)
    """Commands that the model may ask for in a turn; further commands are refused, with a note to the model."""
    mid_turn: Literal["followup", "steer"] = "followup"
    """Fate of a message that arrives while a turn runs: wait for the next turn, or join the running turn."""
    prepare_deadline_s: Number = Field(default=5.0, gt=0, le=60)


class Embedder(Table):
    """Provider of vectors for the memory."""

    provider: Literal["auto", "google", "local", "litellm"] = "auto"
    """`auto` is google when there is a GEMINI_API_KEY, else the local model."""
    model: OptionalName = ""
    """Name of the model; empty for the provider's usual model; litellm has no usual model."""
    api_base: OptionalHttpAddress = ""
    """Empty for the provider's own address."""
    dimensions: Whole = Field(default=768, ge=8, le=4_096)
    """Dimensions asked of providers able to shorten vectors; the local model's are always 384."""
    timeout_s: Number = Field(default=20.0, gt=0, le=600)


class Memory(Table):
    """Recall of earlier words in a turn."""

    enabled: Flag = True
    search: Literal["hybrid", "similarity", "exhaustive"] = "hybrid"
    """Rows seen by the ranking formula."""
    scope: Literal["global", "context", "audience"] = "audience"
    """Memories shown in a window: all, the window's own, or memories without a further reader."""
    max_memories: Whole = Field(default=40, ge=1, le=200)
    """Most excerpts in a turn."""
    total_tokens: Whole = Field(default=1_000, ge=100, le=100_000)
    """Budget of the injected block."""
    item_tokens: Whole = Field(default=120, ge=40, le=100_000)
    """Budget of a memory in that block, path and line included."""
    query_timeout_s: Number = Field(default=5.0, gt=0, le=60)
    """Longest wait for the prompt's vector; without a vector the turn goes on."""
    exclude_visible: Flag = True
    """True to leave out memories that the window's history shows anyway, except pins."""
    keep_days: Whole = Field(default=0, ge=0, le=36_500)
    """Days after which words are forgotten, except pins; 0 to keep all words."""
    expansions: Whole = Field(default=2, ge=0, le=10)
    """Expansions of a memory that the model may ask for in a turn; 0 for never."""


class Reminders(Table):
    """Reminders: messages at a certain time."""

    file: OptionalPath = "reminders.md"
    """The markdown file, relative to the data root; empty for no reminders."""
    channel: SnowflakeOrNothing = ""
    """Channel of reminders without another place; empty for the first of `discord.channels`."""
    owner: SnowflakeOrNothing = ""
    """User to mention when a reminder is due in that channel; empty for no mention."""
    catchup_hours: Number = Field(default=0.0, ge=0, le=720)
    """Age in hours up to which a missed recurring reminder is posted, once; 0 to post no missed reminder."""


class Skills(Table):
    """Folders of skills, besides the skills shipped with the agent."""

    folders: tuple[OptionalPath, ...] = ("~/.agents/skills",)
    """After the data root's `skills/`; the first skill of a name wins."""


class Web(Table):
    """Web: the pages readable on behalf of commands, since commands have no network."""

    read: Literal["seen", "any", "off"] = "seen"
    """`seen`: pages from a person's words in the window or from its own searches. `any` lets commands send data out."""


class Traces(Table):
    """Traces of turns, sent to a collector of OpenTelemetry's; needs the extra `otel`."""

    endpoint: OptionalHttpAddress = ""
    """Address for OTLP over HTTP, such as `http://127.0.0.1:4318`; empty to send no traces."""


class Layers(Table):
    """Further kinds of memory in use; each key is a kind known to this program."""


class Source(StrEnum):
    """Origin of a setting's value."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "env"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """Provenance of settings; never part of a comparison, for equal settings are equal in any file."""

    file: Path | None = field(default=None, compare=False)
    """Settings file; None without a file."""
    folder: Path = field(default=Path(), compare=False)
    """Folder of the settings file, or the folder searched; a `secrets.env` stands there."""
    sources: Mapping[str, Source] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """Sources by dotted key; a missing key is a default."""
    is_named: bool = field(default=True, compare=False)
    """False for a file, or its absence, decided by the current folder."""
    trusts_data: bool = field(default=True, compare=False)
    """False for a data root in a folder neither named nor trusted by its user."""
    left_out: LeftOut = field(default=LeftOut(), compare=False)


class Settings(BaseSettings):
    """All decisions of the operator, secrets apart; use `actors.settings.load.load` to get an instance."""

    # Strings of the environment would otherwise be taken for any key, and a name such as MODEL may mean another thing.
    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    data_root: Annotated[Path, BeforeValidator(_folder)] = Path("data")
    """Absolute once loaded."""
    discord: Discord = Discord()
    model: Model = Model()
    local_model: LocalModel = LocalModel()
    shell: Shell = Shell()
    contexts: Contexts = Contexts()
    embedder: Embedder = Embedder()
    memory: Memory = Memory()
    reminders: Reminders = Reminders()
    skills: Skills = Skills()
    web: Web = Web()
    mcp: Mcp = Mcp()
    transcribe: Transcribe = Transcribe()
    observer: Observer = Observer()
    log: Log = Log()
    traces: Traces = Traces()
    layers: Layers = Layers()
    channels: FrozenMap[Snowflake, ChannelTable] = Field(default_factory=FrozenMap)
    """Settings of single channels, by their ids."""

    @field_validator("channels")
    @classmethod
    def _has_known_models(
        cls, value: FrozenMap[str, ChannelTable], info: ValidationInfo
    ) -> FrozenMap[str, ChannelTable]:
        # A model table that is itself wrong is missing here and has been reported.
        model = info.data.get("model")
        if model is not None and (fault := strange_models(value, (model.name, *model.choices))):
            raise ValueError(fault)
        return value

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def origin(self) -> Origin:
        """Source of the settings."""
        return self._origin

    def has_layer(self, name: str) -> bool:
        """True if `[layers] <name> = true`."""
        return bool(getattr(self.layers, name, False))

    def table(self, kind: type[T]) -> T:
        """Settings table of a layer.

        Raises:
            ValueError: there is no table of this kind.
        """
        for name in type(self).model_fields:
            if type(value := getattr(self, name)) is kind:
                return value
        raise ValueError(f"settings table {kind.__name__}: no layer brought it")

    def with_root(self, data_root: Path, origin: Origin) -> Settings:
        """The same settings with the data root resolved and a note of their origin."""
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
        """Only the input from `load`: `load` knows lines, pydantic's own sources don't."""
        return (init_settings,)
