"""Maker of `description.json`: `.venv/bin/python -m tests.discord_api.renew`, with npm and Node.js on the path."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from lab.playground.rest import channels, interactions, messages, threads
from tests.discord_api.description import FILE

PACKAGES = ("discord-api-spec@10.0.266135", "discord-api-types@0.38.57", "zod@4.6.7", "typescript@5.9.3")
"""The first two are what is cut, under MIT; the others read them and leave no trace. A renewal names newer ones."""
EVENTS = (
    *("READY", "RESUMED"),
    *("GUILD_CREATE", "GUILD_MEMBER_ADD", "GUILD_MEMBERS_CHUNK"),
    *("GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE"),
    *("CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "CHANNEL_PINS_UPDATE"),
    *("THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_MEMBERS_UPDATE"),
    *("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"),
    *("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "TYPING_START", "INTERACTION_CREATE"),
)
"""Events that the playground can send."""


def operations() -> list[tuple[str, str]]:
    """Method and path of every route of the playground, each value of a parameter that Discord spells out by itself."""
    spelled = {"{visibility}": ("public", "private"), "{target}": ("{message_id}", "@original")}
    listed = []
    for route in (route for module in (messages, channels, threads, interactions) for route in module.ROUTES):
        parameter = next((each for each in spelled if each in route.path), "")
        listed += [(route.method, route.path.replace(parameter, value)) for value in spelled.get(parameter, ("",))]
    return listed


def main() -> None:
    """Install the packages in a folder of their own, cut them and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        script = shutil.copy(Path(__file__).with_name("extract.mjs"), folder)
        (Path(folder) / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True)
        wanted = json.dumps({"operations": operations(), "events": EVENTS})
        done = subprocess.run(["node", script], cwd=folder, input=wanted, text=True, stdout=subprocess.PIPE, check=True)
    FILE.write_text(done.stdout, "utf-8")


if __name__ == "__main__":
    main()
