"""`agent doctor`: checks everything that the agent depends on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from actors.cli.common import config_option, json_option, load_settings


@click.command()
@config_option
@json_option
def doctor(config_file: Path | None, as_json: bool) -> None:
    """Check what the agent depends on; exit 1 when something must be mended before it can run."""
    from actors.cli.doctor_check import Level
    from actors.cli.doctor_checks import all_checks

    settings, secrets = load_settings(config_file)
    checks = list(all_checks(settings, secrets))
    failed = any(check.level is Level.FAIL for check in checks)
    if as_json:
        rows = [{"name": check.name, "level": check.level.value, "detail": check.detail} for check in checks]
        click.echo(json.dumps({"ok": not failed, "checks": rows}, indent=2))
    else:
        colours = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark = click.style(f"{check.level.value:4}", fg=colours[check.level])
            click.echo(f"{mark}  {check.name:{width}}  {check.detail}")
    sys.exit(1 if failed else 0)
