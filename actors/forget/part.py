"""Row of forgetting in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator

from actors.forget.commands import CARRIED_OUT, COMMANDS, LISTED, PRESSES, PREVIEWED
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Verb
from messages.forget import FORGET, CarryOutForget, ListForgets, PreviewForget
from messages.memory import MEMORY

LONGEST_S = 600.0
VERBS = {
    "forget.preview": Verb(FORGET, PreviewForget, answer_s=LONGEST_S, words=PREVIEWED),
    "forget.carry-out": Verb(FORGET, CarryOutForget, answer_s=LONGEST_S, words=CARRIED_OUT),
    "forget.list": Verb(FORGET, ListForgets, words=LISTED),
}
_BACKUPS = "Backups made before now hold these words still: make a new one and delete the older ones."
_DISCORD = "Discord keeps its messages: delete them there."


def row(plan: Plan, parts: Parts) -> Part | None:
    """Part of the ForgetActor; None in a command line's turn."""
    if not plan.lives:
        return None
    return Part(
        spec=forget_spec(plan, parts),
        commands=COMMANDS,
        presses=PRESSES,
        operator_verbs={**VERBS},
    )


def forget_spec(plan: Plan, parts: Parts, *, resumes: bool = True) -> ActorSpec:
    """Recipe of the actor.

    Args:
        plan: Settings and paths of the run.
        parts: Table of the parts, which is asked when the actor is built.
        resumes: True to go on with unfinished requests at the start.
    """
    from actors.forget.state import Previews

    previews = Previews()

    def build(_key: str) -> Actor:
        from actors.forget.actor import ForgetActor
        from actors.forget.config import ForgetConfig

        settings = plan.settings
        config = ForgetConfig(
            data_root=settings.data_root,
            rooms=parts.forgetters,
            memory=MEMORY if settings.memory.enabled else None,
            operators=frozenset(settings.shell.operators),
            elsewhere=tuple(places_elsewhere(plan)),
            resumes=resumes,
        )
        return ForgetActor(config, previews)

    return ActorSpec(FORGET.kind, build, is_eager=True)


def places_elsewhere(plan: Plan) -> Iterator[str]:
    """Places that hold words and that the agent does not reach, for a person."""
    yield _DISCORD
    yield _BACKUPS
    settings = plan.settings
    if settings.model.name != "offline":
        yield f"The provider of the model {settings.model.name} was sent these words and keeps them by its own rules."
    if settings.embedder.provider in ("google", "litellm"):
        yield f"So was the provider of the embeddings ({settings.embedder.provider})."
