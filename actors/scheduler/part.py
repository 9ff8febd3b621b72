"""Row of the scheduler in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from actors.scheduler.checks import findings
from actors.scheduler.commands import COMMANDS, PRESSES
from actors.scheduler.config import SchedulerConfig, reminders_path, spare_folder
from actors.scheduler.state import SchedulerState
from actors.scheduler.zone import ZoneMissingError, load_zone
from messages.base import Surface, Window
from messages.scheduler import (
    SCHEDULER,
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    RelayConfirmation,
)


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Only actor that writes the reminders' file; None if the settings name no file."""
    file = reminders_path(plan.settings.data_root, plan.settings.reminders.file)
    if file is None:
        return None
    state = SchedulerState()

    def build(_key: str) -> Actor:
        from actors.scheduler.actor import SchedulerActor

        return SchedulerActor(_config(plan), state)

    return Part(
        spec=ActorSpec(SCHEDULER.kind, build, core=True, starts_last=True),
        forgets=plan.lives,
        unusable=_clocks_problem(),
        says_unusable=True,
        verbs={
            "reminders.create": Verb(SCHEDULER, CreateReminder),
            "reminders.modify": Verb(SCHEDULER, ModifyReminder),
            "reminders.delete": Verb(SCHEDULER, DeleteReminder),
            "reminders.list": Verb(SCHEDULER, ListReminders),
        },
        operator_verbs={"reminders.confirm": Verb(SCHEDULER, RelayConfirmation)},
        commands=COMMANDS,
        presses=PRESSES,
        checks=(lambda: findings(file),),
        skills=(SHIPPED_SKILLS / "reminders",),
    )


def _config(plan: Plan) -> SchedulerConfig:
    reminders, data_root = plan.settings.reminders, plan.settings.data_root
    file = reminders_path(data_root, reminders.file)
    if file is None:
        raise ValueError("reminders.file is empty, so there is no scheduler")
    channels = plan.connection.channels if plan.connection else plan.settings.discord.channels
    channel = reminders.channel or next(iter(channels), "")
    return SchedulerConfig(
        file=file,
        spare=spare_folder(data_root),
        zone=load_zone(),
        channel=Window(surface=Surface.DISCORD_CHANNEL, id=channel) if channel else None,
        delivery=plan.surface,
        owner_id=reminders.owner,
        catchup_hours=reminders.catchup_hours,
        fires=plan.lives,
    )


def _clocks_problem() -> str:
    try:
        load_zone()
    except ZoneMissingError as error:
        return str(error)
    return ""
