"""Checks of local models: the engine, and the files of the models named in the settings."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from actors.local_model.store import ModelFileError, Store
from actors.part import Finding, Level
from messages.model import LOCAL_PREFIX, is_local

if TYPE_CHECKING:
    from actors.settings.schema import Settings

INSTALL = "pip install 'xllamacpp>=2026.10'"
NOT_INSTALLED = f"needs the extra `local-model`: {INSTALL}"


def is_installed() -> bool:
    """True if the engine is installed; without importing the engine."""
    return find_spec("xllamacpp") is not None


def findings(settings: Settings, program: str) -> Iterator[Finding]:
    """Findings on the local models of the settings; empty without local models.

    Args:
        settings: Settings in force.
        program: Command of the agent, for messages.
    """
    models = [
        name
        for name in dict.fromkeys((settings.model.name, *settings.model.choices, *settings.model.fallbacks))
        if is_local(name)
    ]
    if models and not is_installed():
        yield Finding("local model", Level.FAIL, f"{models[0]} {NOT_INSTALLED}")
    store = Store(Path(settings.local_model.folder).expanduser(), program)
    for model in models:
        try:
            path = store.find(model.removeprefix(LOCAL_PREFIX))
        except ModelFileError as error:
            yield Finding("local model", Level.FAIL, str(error))
        else:
            yield Finding("local model", Level.OK, f"{model}: {path}")
