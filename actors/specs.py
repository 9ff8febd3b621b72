"""How each actor is made from the settings; `actors.bootstrap` says which of them there are, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from actors.kernel import ActorSpec
from domain.turn.bash_tool import bash_tool
from messages.base import CONTEXT_KIND, Address, Surface, Window

if TYPE_CHECKING:
    from actors.context.config import ContextConfig
    from actors.discord.commands.services import Services
    from actors.discord.config import DiscordConfig
    from actors.embedder.spaces import Space
    from actors.settings.schema import Settings
    from actors.socket.verb import Verb

MODEL = Address("model")
SHELL = Address("shell")
DISCORD = Address("discord")
EMBEDDER = Address("embedder")
MEMORY = Address("memory")
SCHEDULER = Address("scheduler")
SKILLS = Address("skills")
SOCKET = Address("socket")
WEB = Address("web")

LEAST_LEFT_S = 0.5
"""How much earlier than the deadline of a turn's preparation a question's vector must be there."""


class UnusableError(ValueError):
    """The settings, or what is installed, leave an actor without what it needs; the text says what to do."""


# Imports stand in the functions: a command that starts few actors need not load the libraries of all.


def context_config(
    settings: Settings,
    surface: Address,
    workdir: Callable[[Window], str],
    contributors: tuple[Address, ...] = (),
    subscribers: tuple[Address, ...] = (),
) -> ContextConfig:
    """What every window is told, with its answers shown by `surface` and its commands run in `workdir`."""
    from actors.context.config import ContextConfig

    return ContextConfig(
        model=MODEL,
        shell=SHELL,
        surface=surface,
        workdir=workdir,
        tool=bash_tool(settings.shell.timeout_s, settings.shell.max_timeout_s),
        contributors=contributors,
        subscribers=subscribers,
        prepare_deadline_s=settings.contexts.prepare_deadline_s,
        max_history_tokens=settings.model.max_history_tokens,
        max_expansions=settings.memory.expansions if MEMORY in contributors else 0,
        models=tuple(dict.fromkeys((settings.model.name, *settings.model.choices))),
        mid_turn=settings.contexts.mid_turn,
        streams=surface == DISCORD and settings.discord.stream == "edits",
        reacts=surface == DISCORD and settings.discord.reactions,
        shell_deadline_s=settings.shell.max_timeout_s + 100,
    )


def context_spec(settings: Settings, config: ContextConfig, data_root: Path) -> ActorSpec:
    """One actor for every window that keeps a log."""
    from actors.context.actor import ContextActor
    from actors.context.journal import Journal

    def build(key: str) -> ContextActor:
        window = Window.from_key(key)
        return ContextActor(window, Journal(data_root, window, config.max_history_tokens), config)

    return ActorSpec(CONTEXT_KIND, build, idle_s=settings.contexts.idle_minutes * 60)


def model_spec(
    settings: Settings, secrets: Mapping[str, str], spent_today: Callable[[], float] | None = None
) -> ActorSpec:
    """The one actor that calls language models.

    Args:
        settings: The operator's decisions.
        secrets: Provider keys by litellm's names.
        spent_today: What the logs say that this day's calls (UTC) have cost in US dollars; None where there are none.
    """
    from actors.model.actor import ModelActor

    def build(_key: str) -> ModelActor:
        return ModelActor(
            name=settings.model.name,
            api_base=settings.model.api_base,
            api_keys=secrets,
            concurrency=settings.model.concurrency,
            retries=settings.model.retries,
            idle_timeout_s=settings.model.idle_timeout_s,
            daily_cost_usd=settings.model.daily_cost_usd,
            spent_today=spent_today,
        )

    return ActorSpec(MODEL.kind, build, core=True)


def shell_spec(settings: Settings, data_root: Path, work: Path, cli_workdir: Path | None = None) -> ActorSpec:
    """The one actor that starts processes."""
    from actors.shell.actor import ShellActor
    from actors.skills.folders import visible_folders

    def build(_key: str) -> ShellActor:
        return ShellActor(
            work_root=work,
            data_root=data_root,
            default_timeout_s=settings.shell.timeout_s,
            max_timeout_s=settings.shell.max_timeout_s,
            commands_at_once=settings.shell.concurrency,
            cli_workdir=cli_workdir,
            sandbox=settings.shell.sandbox,
            network=settings.shell.network,
            scope=settings.memory.scope,
            skill_roots=visible_folders(skill_folders(settings)),
            door=SOCKET,
        )

    return ActorSpec(SHELL.kind, build, core=True)


def skill_folders(settings: Settings) -> tuple[Path, ...]:
    """Where skills are looked for, in order of precedence."""
    from actors.skills.folders import skill_roots

    return skill_roots(settings.data_root, settings.skills.folders)


def skills_spec(settings: Settings) -> ActorSpec:
    """The one actor that knows which skills there are."""
    from actors.skills.actor import SkillsActor

    return ActorSpec(SKILLS.kind, lambda _key: SkillsActor(roots=skill_folders(settings)), core=True)


def web_spec(secrets: Mapping[str, str]) -> ActorSpec:
    """The one actor that reads the web."""
    from actors.web.actor import WebActor

    return ActorSpec(WEB.kind, lambda _key: WebActor(api_key=secrets.get("BRAVE_API_KEY", "")), core=True)


def embedding_space_of(settings: Settings, secrets: Mapping[str, str]) -> Space:
    """The vector space that the settings ask for.

    Raises:
        UnusableError: a provider without the model that it needs.
    """
    from actors.embedder.local import is_installed
    from actors.embedder.providers import GOOGLE_KEY
    from actors.embedder.spaces import embedding_space

    embedder = settings.embedder
    try:
        return embedding_space(
            embedder.provider,
            embedder.model,
            embedder.dimensions,
            has_google_key=GOOGLE_KEY in secrets,
            has_local_extra=is_installed(),
        )
    except ValueError as error:
        raise UnusableError(str(error)) from error


def embedder_spec(settings: Settings, secrets: Mapping[str, str]) -> ActorSpec:
    """The one actor that turns text into vectors."""
    from actors.embedder.actor import EmbedderActor
    from actors.embedder.providers import backend_of

    space = embedding_space_of(settings, secrets)
    backend = backend_of(
        space, api_keys=secrets, api_base=settings.embedder.api_base, timeout_s=settings.embedder.timeout_s
    )
    return ActorSpec(EMBEDDER.kind, lambda _key: EmbedderActor(space=space, backend_of=backend), core=True)


def memory_spec(
    settings: Settings, secrets: Mapping[str, str], *, read_only: bool = False, embeds: bool = True
) -> ActorSpec:
    """The one actor that owns the index.

    Args:
        settings: The operator's decisions.
        secrets: Provider keys by litellm's names.
        read_only: Whether it only looks, leaving the index as it is.
        embeds: Whether there is an embedder.
    """
    from actors.context.data_root import DataRoot
    from actors.memory.actor import MemoryActor
    from actors.memory.store import Plan
    from domain.memory.injection import Budget

    memory, space = settings.memory, embedding_space_of(settings, secrets)
    plan = Plan(
        data_root=settings.data_root,
        space=space.name,
        dimensions=space.dimensions,
        search=memory.search,
        scope=memory.scope,
        read_only=read_only,
        is_live=read_only and DataRoot(settings.data_root).is_held(),
        exclude_visible=memory.exclude_visible,
    )
    budget = Budget(total_tokens=memory.total_tokens, item_tokens=memory.item_tokens, most=memory.max_memories)
    longest_s = max(LEAST_LEFT_S, settings.contexts.prepare_deadline_s - LEAST_LEFT_S)

    def build(_key: str) -> MemoryActor:
        return MemoryActor(
            plan=plan,
            embedder=EMBEDDER if embeds else None,
            budget=budget,
            query_timeout_s=min(memory.query_timeout_s, longest_s),
        )

    return ActorSpec(MEMORY.kind, build, core=True)


def scheduler_spec(settings: Settings, delivery: Address, channel: str, *, fires: bool = True) -> ActorSpec | None:
    """The one actor that writes the reminders' file; None when there is to be none.

    Args:
        settings: The operator's decisions.
        delivery: Who shows reminders.
        channel: Where they are said, unless the settings say where; empty for nowhere.
        fires: Whether it says what is due; otherwise it only serves requests.

    Raises:
        UnusableError: the rules of London's clocks are not installed.
    """
    from actors.scheduler.actor import SchedulerActor
    from actors.scheduler.config import SchedulerConfig
    from actors.scheduler.paths import reminders_path, spare_folder
    from actors.scheduler.state import SchedulerState
    from actors.scheduler.zone import ZoneMissingError, load_zone

    file = reminders_path(settings.data_root, settings.reminders.file)
    if file is None:
        return None
    channel = settings.reminders.channel or channel
    try:
        zone = load_zone()
    except ZoneMissingError as error:
        raise UnusableError(str(error)) from error
    config = SchedulerConfig(
        file=file,
        spare=spare_folder(settings.data_root),
        zone=zone,
        channel=Window(surface=Surface.DISCORD_CHANNEL, id=channel) if channel else None,
        delivery=delivery,
        owner_id=settings.reminders.owner,
        catchup_hours=settings.reminders.catchup_hours,
        fires=fires,
    )
    life = SchedulerState()
    return ActorSpec(SCHEDULER.kind, lambda _key: SchedulerActor(config, life), core=True)


def discord_config(settings: Settings) -> DiscordConfig:
    """How the bot behaves among people."""
    from actors.discord.config import DiscordConfig

    said = settings.discord
    return DiscordConfig(
        viewer_roles=frozenset(said.viewer_roles),
        answers_all=said.answer == "all",
        dms=said.dms,
        streams=said.stream == "edits",
        reacts=said.reactions,
        catchup_hours=said.catchup_hours,
        turns_per_user=said.turns_per_user,
        attachment_bytes=int(said.attachment_mib * (1 << 20)),
        paste_tokens=said.paste_tokens,
        shards=said.shards,
    )


def services_of(settings: Settings, describers: tuple[Address, ...]) -> Services:
    """Whom slash commands ask; what is missing is not offered."""
    from actors.discord.commands.services import Services

    return Services(
        memory=MEMORY if settings.memory.enabled else None,
        scheduler=SCHEDULER if settings.reminders.file else None,
        skills=SKILLS,
        describers=describers,
        models=(settings.model.name, *settings.model.choices) if settings.model.choices else (),
    )


def window_verbs(settings: Settings) -> dict[str, Verb]:
    """What scripts in a window's sandbox may ask."""
    from actors.socket.verb import Verb
    from messages.discord import AttachFile
    from messages.memory import SearchMemory
    from messages.scheduler import CreateReminder, DeleteReminder, ListReminders, ModifyReminder
    from messages.turn import ExpandReference
    from messages.web import ReadPage, SearchWeb

    verbs = {
        "web.search": Verb(WEB, SearchWeb),
        "web.read": Verb(WEB, ReadPage),
        "discord.attach": Verb(DISCORD, AttachFile),
    }
    if settings.memory.enabled:
        verbs |= {"memory.search": Verb(MEMORY, SearchMemory), "memory.expand": Verb(MEMORY, ExpandReference)}
    if settings.reminders.file:
        verbs |= {
            "reminders.create": Verb(SCHEDULER, CreateReminder),
            "reminders.modify": Verb(SCHEDULER, ModifyReminder),
            "reminders.delete": Verb(SCHEDULER, DeleteReminder),
            "reminders.list": Verb(SCHEDULER, ListReminders),
        }
    return verbs


def operator_verbs(settings: Settings) -> dict[str, Verb]:
    """What the operator may ask besides."""
    from actors.socket.verb import Verb
    from messages.memory import DescribeMemory, ExplainMemory, RebuildMemory
    from messages.skills import ListSkills

    verbs = window_verbs(settings) | {"skills.list": Verb(SKILLS, ListSkills)}
    if settings.memory.enabled:
        verbs |= {
            "memory.why": Verb(MEMORY, ExplainMemory),
            "memory.stats": Verb(MEMORY, DescribeMemory),
            "memory.rebuild": Verb(MEMORY, RebuildMemory, answer_s=3_600.0),
        }
    return verbs
