"""`agent doctor`: checks everything that the agent depends on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from actors.cli.common import config_option, json_option, load_settings
from actors.cli.terminal import echo_styled


@click.command()
@config_option
@json_option
def doctor(config_file: Path | None, as_json: bool) -> None:
    """Check what the agent depends on; exit 1 when something must be mended before it can run."""
    from actors.cli.doctor_findings import all_findings
    from actors.part import Level

    settings, secrets = load_settings(config_file)
    findings = list(all_findings(settings, secrets))
    failed = any(finding.level is Level.FAIL for finding in findings)
    if as_json:
        rows = [{"name": each.name, "level": each.level.value, "detail": each.detail} for each in findings]
        click.echo(json.dumps({"ok": not failed, "checks": rows}, indent=2))
    else:
        colours = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            rest = f"  {finding.name:{width}}  {finding.detail}"
            echo_styled(f"{finding.level.value:4}", rest, fg=colours[finding.level])
    sys.exit(1 if failed else 0)
