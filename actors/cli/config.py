"""`agent config`: the settings in force, with where each comes from."""

from __future__ import annotations

import json
from pathlib import Path

import click

from actors.cli.common import config_option, json_option, load_settings


@click.command()
@config_option
@json_option
def config(config_file: Path | None, as_json: bool) -> None:
    """Print the settings in force and the source of each; secrets are masked."""
    from actors.settings.render import render

    settings, secrets = load_settings(config_file)
    view = render(settings, secrets)
    if as_json:
        click.echo(json.dumps(view, indent=2))
        return
    click.echo(f"settings file: {view['file'] or 'none; these are the defaults'}")
    for part in ("settings", "secrets"):
        rows = view[part]
        assert isinstance(rows, dict)
        for key, row in rows.items():
            click.echo(f"{key} = {json.dumps(row['value'])}  ({row['source'] or 'nowhere'})")
