"""Catalogue of local models: models available by name, with size, licence, hash and place. Pure.

Each hash and size comes from the file's own repository (the id of its large file); a download with any difference is
refused. Chosen by licence (Apache-2.0) and by chat templates from which llama.cpp can read tool calls.
"""

from __future__ import annotations

from dataclasses import dataclass

HUB = "https://huggingface.co"
"""Place of the files unless `HF_ENDPOINT` names another."""
DEFAULT_MODEL = "qwen3-1.7b"
"""Model of `local` without a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueModel:
    """A model available for download."""

    name: str
    title: str
    repository: str
    revision: str
    file: str
    bytes: int
    sha256: str
    licence: str
    memory_gib: float
    """Memory of its server with the default settings: estimate of the file, its contexts and the cache of prompts."""
    calls_tools: bool
    """True if the model was trained to call tools."""

    def address(self, endpoint: str = "") -> str:
        """Address of the file.

        Args:
            endpoint: Base address of a hub; empty for the usual hub.
        """
        base = endpoint.rstrip("/") or HUB
        return f"{base}/{self.repository}/resolve/{self.revision}/{self.file}"


CATALOGUE = (
    CatalogueModel(
        name="qwen3-4b",
        title="Qwen3 4B Instruct 2507, Q4_K_M",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        revision="a06e946bb6b655725eafa393f4a9745d460374c9",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        bytes=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        licence="Apache-2.0",
        memory_gib=5.5,
        calls_tools=True,
    ),
    CatalogueModel(
        name="qwen3-1.7b",
        title="Qwen3 1.7B, Q8_0",
        repository="Qwen/Qwen3-1.7B-GGUF",
        revision="90862c4b9d2787eaed51d12237eafdfe7c5f6077",
        file="Qwen3-1.7B-Q8_0.gguf",
        bytes=1_834_426_016,
        sha256="061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
        licence="Apache-2.0",
        memory_gib=5.0,
        calls_tools=True,
    ),
    CatalogueModel(
        name="qwen2.5-1.5b",
        title="Qwen2.5 1.5B Instruct, Q4_K_M",
        repository="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        revision="91cad51170dc346986eccefdc2dd33a9da36ead9",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence="Apache-2.0",
        memory_gib=3.0,
        calls_tools=True,
    ),
    CatalogueModel(
        name="smollm2-1.7b",
        title="SmolLM2 1.7B Instruct, Q4_K_M",
        repository="HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF",
        revision="2d4a76a30b4af41ecd395c35725ac11688d4cfe4",
        file="smollm2-1.7b-instruct-q4_k_m.gguf",
        bytes=1_055_609_536,
        sha256="decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33",
        licence="Apache-2.0",
        memory_gib=5.5,
        calls_tools=True,
    ),
    CatalogueModel(
        name="smollm2-360m",
        title="SmolLM2 360M Instruct, Q8_0",
        repository="HuggingFaceTB/SmolLM2-360M-Instruct-GGUF",
        revision="593b5a2e04c8f3e4ee880263f93e0bd2901ad47f",
        file="smollm2-360m-instruct-q8_0.gguf",
        bytes=386_404_992,
        sha256="48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201",
        licence="Apache-2.0",
        memory_gib=2.0,
        calls_tools=False,
    ),
)

SPEECH_FOLDER = "speech"
"""In the folder of models: weights of `SPEECH_CATALOGUE`."""
SPEECH_SUFFIX = ".bin"
_WHISPER = "ggerganov/whisper.cpp"
_WHISPER_REVISION = "5359861c739e955e79d9a303bcbc70fb988958b1"

SPEECH_CATALOGUE = (
    CatalogueModel(
        name="whisper-base",
        title="Whisper base, 74 million parameters",
        repository=_WHISPER,
        revision=_WHISPER_REVISION,
        file="ggml-base.bin",
        bytes=147_951_465,
        sha256="60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe",
        licence="MIT",
        memory_gib=0.4,
        calls_tools=False,
    ),
    CatalogueModel(
        name="whisper-small",
        title="Whisper small, 244 million parameters",
        repository=_WHISPER,
        revision=_WHISPER_REVISION,
        file="ggml-small.bin",
        bytes=487_601_967,
        sha256="1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b",
        licence="MIT",
        memory_gib=0.9,
        calls_tools=False,
    ),
    CatalogueModel(
        name="whisper-large-v3-turbo",
        title="Whisper large v3 turbo, 809 million parameters",
        repository=_WHISPER,
        revision=_WHISPER_REVISION,
        file="ggml-large-v3-turbo.bin",
        bytes=1_624_555_275,
        sha256="1fc70f774d38eb169993ac391eea357ef47c88757ef72ee5943879b7e8e2bc69",
        licence="MIT",
        memory_gib=2.5,
        calls_tools=False,
    ),
)
"""Speech models for whisper.cpp's program, the transcriber of voice messages (`transcribe.api = "local"`)."""


def speech_model(name: str) -> CatalogueModel | None:
    """The speech model of a name; None for an unknown name."""
    return next((model for model in SPEECH_CATALOGUE if model.name == name), None)


def catalogue_model(name: str) -> CatalogueModel | None:
    """The catalogue's model of a name; None for an unknown name."""
    return next((model for model in CATALOGUE if model.name == name), None)
