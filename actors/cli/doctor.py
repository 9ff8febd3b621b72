"""`agent doctor`: checks all dependencies of the agent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import config_option, ignore, json_option, load_settings
from actors.cli.terminal import echo_styled
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.part import Finding


@click.command()
@click.option("--fix", is_flag=True, help="Make the safe repairs, then check again.")
@config_option
@json_option
def doctor(fix: bool, config_file: Path | None, as_json: bool) -> None:
    """Check everything that the agent depends on; exit 1 if a problem prevents a start.

    Below each finding stands its repair. --fix makes repairs that need no decision of yours: seals of torn records,
    removal of a killed agent's leftovers, permissions, missing folders, an unusable index moved aside. No record of a
    log is altered. Most repairs need a stopped agent.
    """
    from actors.cli.doctor_findings import all_findings, mend
    from actors.part import Level

    settings, secrets = load_settings(config_file, report=ignore)
    findings = list(all_findings(settings, secrets))
    mended: list[str] = []
    if fix:
        mended = list(mend(settings.data_root, findings))
        findings = list(all_findings(settings, secrets))
    failed = any(finding.level is Level.FAIL for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": not failed, "mended": mended, "checks": list(map(_row, findings))}, indent=2))
    else:
        for line in mended:
            click.echo(f"fix   {plain(line)}")
        _print(findings)
    sys.exit(1 if failed else 0)


def _row(finding: Finding) -> dict[str, object]:
    row: dict[str, object] = {"name": finding.name, "level": finding.level.value, "detail": finding.detail}
    if finding.repair is not None:
        row |= {"repair": finding.repair.text, "fixable": finding.repair.act is not None}
    return row


def _print(findings: list[Finding]) -> None:
    from actors.part import Level, command

    colours = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        rest = f"  {finding.name:{width}}  {finding.detail}"
        echo_styled(f"{finding.level.value:4}", rest, fg=colours[finding.level])
        if finding.repair is not None:
            how = f" (`{command()} doctor --fix` does it)" if finding.repair.act is not None else ""
            click.echo(f"      {'':{width}}  repair: {plain(finding.repair.text)}{how}")
