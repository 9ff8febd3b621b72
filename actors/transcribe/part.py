"""Row of the transcription in the table of parts; None while the setting is off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Finding, Part, Parts, Plan, Verb, locate_file
from messages.base import Window
from messages.web import TRANSCRIBE, TranscribeFile

MARGIN_S = 5.0
"""Seconds of patience beyond the transcription's own limit, so the transcription's own message arrives first."""
SPEECH_FOLDER = "speech"
"""In the folder of models: weights for whisper.cpp's program."""
KEY, OPENAI_KEY = "TRANSCRIBE_API_KEY", "OPENAI_API_KEY"


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Part of the single actor that has recordings transcribed."""
    table = plan.settings.transcribe
    if table.api == "off":
        return None

    def build(_key: str) -> Actor:
        from actors.transcribe.actor import TranscribeActor
        from actors.transcribe.config import Api, TranscribeConfig
        from actors.transcribe.engine import Engine
        from actors.transcribe.program import ProgramEngine, say_what_is_missing
        from actors.transcribe.server import ServerEngine

        config = TranscribeConfig(
            api=Api(table.api),
            url=table.url,
            model=table.model,
            model_file=model_file(plan),
            language=table.language,
            key=key_of(plan),
            timeout_s=table.timeout_s,
            most_bytes=int(plan.settings.discord.attachment_mib * (1 << 20)),
        )

        def engine_of(actor: TranscribeActor) -> Engine:
            if config.api is Api.LOCAL:
                say_what_is_missing(config)
                return ProgramEngine(config, actor, plan.settings.local_model.threads)
            return ServerEngine(config, actor)

        def locate(window: Window, path: str) -> tuple[Path, str]:
            return locate_file(plan.settings.data_root, plan.workdir_of(window), window, path)

        return TranscribeActor(config, engine_of=engine_of, locate_file=locate)

    return Part(
        spec=ActorSpec(TRANSCRIBE.kind, build, is_eager=True, is_made_up_for=True),
        verbs={"transcribe.file": Verb(TRANSCRIBE, TranscribeFile, table.timeout_s + MARGIN_S)},
        skills=(SHIPPED_SKILLS / "transcribe",),
        checks=(lambda: _look(plan),),
    )


def key_of(plan: Plan) -> str:
    """Key for the server: its own key, else OpenAI's at OpenAI's own address only."""
    if own := plan.secrets.get(KEY, ""):
        return own
    return "" if plan.settings.transcribe.url else plan.secrets.get(OPENAI_KEY, "")


def model_file(plan: Plan) -> str:
    """Absolute path of the weights for whisper.cpp's program, wherever links lead; empty for a server."""
    from actors.transcribe.config import DEFAULT_MODELS, Api

    table = plan.settings.transcribe
    if table.api != "local":
        return ""
    name = table.model or DEFAULT_MODELS[Api.LOCAL]
    folder = Path(plan.settings.local_model.folder).expanduser() / SPEECH_FOLDER
    return os.path.realpath(Path(name).expanduser() if "/" in name else folder / f"{name}.bin")


def _look(plan: Plan) -> Iterator[Finding]:
    from actors.transcribe.checks import findings

    return findings(plan.settings.transcribe, model_file(plan), has_key=bool(key_of(plan)))
