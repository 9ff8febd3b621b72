"""Row of forgetting in the table of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

from actors.forget.commands import CARRIED_OUT, COMMANDS, EXPIRED, LISTED, PRESSES, PREVIEWED
from actors.forget.config import ForgetConfig
from actors.forget.state import RequestState
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Verb
from actors.part.part import Taker
from actors.settings.schema import Settings
from domain.log.window_folders import REPLACED
from domain.policy.channel_rules import ChannelRule
from messages.base import CONTEXT_KIND
from messages.embedder import EMBEDDER
from messages.facts import FACT_INDEX
from messages.forget import FORGET, WINDOW_FILES, CarryOutForget, ForgetExpired, ListForgets, PreviewForget
from messages.memory import MEMORY

LONGEST_S = 600.0
VERBS = {
    "forget.preview": Verb(FORGET, PreviewForget, answer_s=LONGEST_S, words=PREVIEWED),
    "forget.carry-out": Verb(FORGET, CarryOutForget, answer_s=LONGEST_S, words=CARRIED_OUT),
    "forget.expired": Verb(FORGET, ForgetExpired, answer_s=LONGEST_S, words=EXPIRED),
    "forget.list": Verb(FORGET, ListForgets, words=LISTED),
}
_OF_THE_PROCESS = frozenset({"discord", "feed", "gateway", "observer", "scheduler"})
"""Kinds of parts that remove no words from files; the scheduler, on its own, would report due events."""
_OWNERS = {CONTEXT_KIND, MEMORY.kind, EMBEDDER.kind, FACT_INDEX.kind}
_BACKUPS = "Backups made before now hold these words still: make a new one and delete the older ones."
_WORK = "Files that commands wrote are not looked through: `/empty` removes those of a channel."
_DISCORD = "Discord keeps its messages: delete them there."


def row(plan: Plan, parts: Parts) -> Part | None:
    """Part of the ForgetActor; None in a command line's turn, which keeps no data."""
    if not plan.lives:
        return None
    return Part(
        spec=forget_spec(plan, lambda: parts.forgetters),
        commands=COMMANDS,
        presses=PRESSES,
        operator_verbs={**VERBS},
    )


def files_row(plan: Plan, _parts: Parts) -> Part | None:
    """Part of the actor that removes attachments and kept outputs; None in a command line's turn."""
    if not plan.lives:
        return None

    def build(_key: str) -> Actor:
        from actors.forget.window_files import WindowFilesActor

        return WindowFilesActor(plan.settings.data_root)

    return Part(spec=ActorSpec(WINDOW_FILES.kind, build), forgets=True, describes=False)


def forget_spec(plan: Plan, rooms: Callable[[], tuple[Taker, ...]], *, resumes: bool = True) -> ActorSpec:
    """Recipe of the actor.

    Args:
        plan: Settings and paths of the run.
        rooms: Gives the parts that forget; called when the actor is built.
        resumes: True to go on with unfinished requests at the start.
    """
    state = RequestState()

    def build(_key: str) -> Actor:
        from actors.forget.actor import ForgetActor

        settings = plan.settings
        config = ForgetConfig(
            data_root=settings.data_root,
            rooms=rooms(),
            memory=MEMORY if settings.memory.enabled else None,
            operators=frozenset(settings.shell.operators),
            elsewhere=tuple(places_elsewhere(plan)),
            resumes=resumes,
            shortest=shortest_time(settings),
        )
        return ForgetActor(config, state)

    return ActorSpec(FORGET.kind, build, is_eager=True, is_made_up_for=True)


def shortest_time(settings: Settings) -> timedelta | None:
    """Shortest retention of words in the settings; None for ever."""
    tables = (table.rule for table in settings.channels.values())
    rules = (ChannelRule(keep_days=str(settings.memory.keep_days)), *tables)
    return min((rule.kept_for for rule in rules if rule.kept_for is not None), default=None)


def specs_alone(plan: Plan, parts: Iterable[Part], *, only_lists: bool) -> list[ActorSpec]:
    """Actors that forget where no agent runs: rooms with files on the disk, windows, the memory and its embedder.

    Args:
        plan: Settings and paths of the run.
        parts: Table of the parts.
        only_lists: True for the records alone; they need no other actor.
    """
    if only_lists:
        return [forget_spec(plan, lambda: (), resumes=False)]
    rooms = [part for part in parts if part.forgets and part.spec.kind not in _OF_THE_PROCESS]
    kinds = {part.spec.kind for part in rooms} | _OWNERS
    others = [part.spec for part in parts if part.spec.kind in kinds]
    return [*others, forget_spec(plan, lambda: tuple(part.taker for part in rooms))]


def places_elsewhere(plan: Plan) -> Iterator[str]:
    """Places with words out of the agent's reach, for a person."""
    yield _DISCORD
    yield _BACKUPS
    settings = plan.settings
    if any(settings.data_root.glob(f"{REPLACED}*")):
        yield f"A restore left the former content in folders `{REPLACED}…` of the data root: delete them."
    if settings.shell.enabled:
        yield _WORK
    if settings.model.name != "offline":
        yield f"The provider of the model {settings.model.name} was sent these words and keeps them by its own rules."
    if settings.embedder.provider in ("google", "litellm"):
        yield f"So was the provider of the embeddings ({settings.embedder.provider})."
