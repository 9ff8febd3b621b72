"""`agent bench objects`: what the layer of objects makes of the price of requests."""

from __future__ import annotations

import click

from actors.cli.common import json_option
from lab.commands.benchmark import conduct, quick_option


@click.command()
@json_option
@quick_option
def objects(as_json: bool, quick: bool) -> None:
    """The layer of objects beside plain history: size, cached share and price of requests; about a minute.

    Seven conversations of different kinds, two of them recorded sequences of a real model's calls, over real files that
    are really edited, through the real fold and the real actors. Tokens are of 4 characters; cached is what repeats the
    beginning of the request before, at a tenth of the price. Exit code 1 when a target is missed.
    """
    from lab.bench.objects.run import OBJECTS

    conduct(OBJECTS, as_json=as_json, quick=quick)
