"""Layers: a burst with the further kinds of memory switched on, as far as they start without an account."""

from __future__ import annotations

import json

from lab.load.plan import Plan
from lab.load.profiles.burst import BURST
from lab.load.profiles.profile import Place, Profile


def _settings(_plan: Plan, place: Place) -> str:
    folder = place.folder / "curated"
    folder.mkdir(exist_ok=True)
    return (
        "[layers]\ncurated = true\nobjects = true\nworkspace = true\nfacts = true\n"
        f"[curated]\nglobal_folder = {json.dumps(str(folder))}\n"
        "[workspace]\nrecall = true\nsession = true\n"
        f'[facts]\nopenai_base_url = "{place.model_base}"\ngateway_port = 0\nembedding_model = "local"\n'
    )


LAYERS = Profile(
    name="layers",
    help="a burst with curated memory, objects, workspaces and the gateway on",
    drive=BURST.drive,
    settings=_settings,
)
