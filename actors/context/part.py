"""Row of the windows in the table of parts: an actor for each channel and thread."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from actors.context.checks import findings
from actors.context.commands import COMMANDS, PRESSES, model_commands
from actors.context.config import ContextConfig
from actors.context.log.descriptor import OpenLogs, most_open
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan
from domain.log.window import LOG_ROOT
from domain.log.window_folders import attachments_folder
from domain.policy.approval import APPROVAL_S, Approve
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.text.secret_scrub import Scrubber
from domain.turn.bash_tool import bash_tool
from messages.base import CONTEXT_KIND, Window
from messages.model import MODEL
from messages.shell import SHELL

OVER_LONGEST_COMMAND_S = 100.0
MOST_IDLE = 1_000
"""Idle windows that stay in memory, some 20 kB each; an evicted window is read from its log at its next message."""


def row(plan: Plan, parts: Parts) -> Part:
    """The owners of logs and histories; a command line's turn has an owner without a log."""
    open_logs = OpenLogs(most_open())

    @cache
    def config() -> ContextConfig:
        return context_config(plan, parts)

    def build(key: str) -> Actor:
        from actors.context.actor import ContextActor
        from actors.context.log.journal import Journal

        window = Window.from_key(key)
        root = plan.settings.data_root if plan.lives else None
        window_config = config()
        journal = Journal(
            root,
            window,
            window_config.history_tokens,
            plan.log_disk,
            counted_result_chars=window_config.counted_result_chars,
            awaits_cuts=window_config.compactor is not None,
        )
        journal.open_logs = open_logs
        return ContextActor(window, journal, window_config)

    idle_s = plan.settings.contexts.idle_minutes * 60 if plan.lives else None
    return Part(
        spec=ActorSpec(CONTEXT_KIND, build, idle_s=idle_s, most_idle=MOST_IDLE if plan.lives else None),
        describes=False,
        commands=(*COMMANDS, *model_commands(_models(plan))),
        presses=PRESSES,
        checks=(lambda: findings(plan.settings.data_root),),
    )


def context_config(plan: Plan, parts: Parts) -> ContextConfig:
    """Configuration of every window."""
    settings, shell = plan.settings, plan.settings.shell
    approval_s = 0.0 if plan.approve is Approve.NEVER else 2 * APPROVAL_S  # for the command, and for its requests
    return ContextConfig(
        model=MODEL,
        shell=SHELL,
        surface=plan.surface,
        workdir=lambda window: str(plan.workdir_of(window)),
        attachments=lambda window: str(settings.data_root / attachments_folder(window)) if plan.lives else "",
        tool=bash_tool(shell.timeout_s, shell.max_timeout_s, may_write=plan.commands_may_write)
        if shell.enabled
        else None,
        contributors=parts.contributors,
        blocks=parts.blocks,
        subscribers=parts.subscribers if plan.lives else (plan.surface,),
        compactor=parts.compactor,
        wording=parts.wording,
        wording_tokens=parts.wording_tokens,
        prepare_deadline_s=settings.contexts.prepare_deadline_s,
        max_history_tokens=settings.model.max_history_tokens,
        max_calls=settings.contexts.max_calls,
        referrers=parts.referrers,
        max_expansions=settings.memory.expansions if parts.referrers else 0,
        shows_logs=plan.lives or (plan.trusts_data and (settings.data_root / LOG_ROOT).is_dir()),
        models=_models(plan),
        rules=_rules(plan),
        mid_turn=settings.contexts.mid_turn,
        streams=plan.lives and settings.discord.stream == "edits",
        reacts=plan.lives and settings.discord.reactions,
        resumes_calls=plan.asks_before_commands,
        shell_deadline_s=shell.max_timeout_s + OVER_LONGEST_COMMAND_S + approval_s,
    )


def _rules(plan: Plan) -> ChannelRules:
    """Rules of single channels; a secret in instructions reaches no model."""
    scrub = Scrubber(plan.secrets.values()).scrub
    rules = {channel_id: table.rule for channel_id, table in plan.settings.channels.items()}
    general = ChannelRule(keep_days=str(plan.settings.memory.keep_days))
    return ChannelRules(
        {key: replace(rule, instructions=scrub(rule.instructions)) for key, rule in rules.items()}, general
    )


def _models(plan: Plan) -> tuple[str, ...]:
    """Models to choose from, the usual model first."""
    return tuple(dict.fromkeys((plan.settings.model.name, *plan.settings.model.choices)))
