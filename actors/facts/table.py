"""Settings table of facts, `[facts]`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from actors.part import Flag, FrozenMap, Number, OptionalHttpAddress, OptionalName, OptionalPath, Table, Whole


def _path(value: str) -> str:
    if not value.strip() or "\0" in value:
        raise ValueError("must be the path of a folder, in quotes")
    return value


def _name(value: str) -> str:
    if not re.fullmatch(r"[!-~]{1,1000}", value):
        raise ValueError('must be a model\'s name without spaces, the path of a folder, or "local"')
    return value


def _host(value: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z.:-]{1,200}", value):
        raise ValueError("must be an IP address or a host's name")
    return value


def _secret_name(value: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*_API_KEY", value):
        raise ValueError("must be the name of a secret, such as ALICE_API_KEY")
    return value


def _optional_secret_name(value: str) -> str:
    return value and _secret_name(value)


def _prefix(value: str) -> str:
    if len(value) > 200:
        raise ValueError("must be at most 200 characters, the beginning of every memory_id that the key may name")
    return value


def _origin(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*://[!-~]{1,200}", value):
        raise ValueError("must be a scheme and a host, such as app://obsidian.md")
    return value


def _open_path(value: str) -> str:
    if not re.fullmatch(r"/[!-~]{1,200}", value):
        raise ValueError("must be the beginning of a path, such as /api/tags")
    return value


Keys = FrozenMap[Annotated[str, AfterValidator(_prefix)], Annotated[str, AfterValidator(_secret_name)]]


class FactsTable(Table):
    """`[facts]`: settings of the remembering gateway, its storage, and its answers."""

    openai_base_url: OptionalHttpAddress = ""
    """The model server, e.g. `http://127.0.0.1:11434/v1`; needed while the layer is on."""
    upstream_key: Annotated[str, AfterValidator(_optional_secret_name)] = "OPENAI_API_KEY"
    """Name of the secret for calls of the server, if any."""
    gateway_address: Annotated[str, AfterValidator(_host)] = "127.0.0.1"
    """Any other than loopback takes `keys`."""
    gateway_port: Whole = Field(default=8_100, ge=0, le=65_535)
    """0 for any free port."""
    keys: Keys = FrozenMap()
    """Beginning of `memory_id`s, empty for all -> name of the secret to be shown by clients."""
    origins: tuple[Annotated[str, AfterValidator(_origin)], ...] = ()
    """Origins of apps and pages served without a key, for example `app://obsidian.md`; loopback always is."""
    open_paths: tuple[Annotated[str, AfterValidator(_open_path)], ...] = ()
    """Beginnings of the server's paths outside `/v1` for clients with a key; without `keys` all paths are open."""
    max_body_mib: Number = Field(default=32.0, gt=0, le=1_024)
    """Larger requests are refused."""
    memory_path: Annotated[str, AfterValidator(_path)] = "./memory_db"
    """Folder of the files, relative to the data root."""
    embedding_model: Annotated[str, AfterValidator(_name)] = "text-embedding-3-small"
    """The server's name of the model; `local` for this machine's model; or a folder with a model."""
    embedding_base_url: OptionalHttpAddress = ""
    """Address of the embedding server; empty for `openai_base_url`."""
    model: OptionalName = ""
    """Model for facts and summaries; empty for the model of the answer."""
    default_top_k: Whole = Field(default=5, ge=0, le=200)
    """Most entries for a request."""
    score_threshold: Number = Field(default=0.35, ge=0, le=1)
    """Least relevance of an entry."""
    recency_weight: Number = Field(default=0.2, ge=0, le=1)
    """Weight of age beside relevance."""
    mmr_lambda: Number = Field(default=0.7, ge=0, le=1)
    """1 for relevance alone; lower values favour entries unlike one another."""
    reranker: Literal["none", "litellm", "onnx"] = "none"
    """Judge of relevance: the vectors' cosine, a service known to litellm, or a model in a folder."""
    reranker_model: OptionalPath = ""
    """litellm's name of the model, or the folder, e.g. of `Xenova/ms-marco-MiniLM-L-6-v2`."""
    block_place: Literal["auto", "system", "question"] = "auto"
    """Message with the memories: the system's, the question, or by turn the message behind a provider's cached part."""
    inject_chars: Whole = Field(default=8_000, ge=200, le=1_000_000)
    """Most characters added to a request."""
    read_deadline_s: Number = Field(default=1.0, gt=0, le=60)
    """Longest wait for the memory; afterwards the request goes on without memories."""
    max_entries: Whole = Field(default=500, ge=1, le=1_000_000)
    """Facts and turns of one conversation; the oldest move to `deleted/`."""
    enable_summarization: Flag = True
    """True to keep a summary of each conversation."""
    content_type: Literal["conversation", "journal", "document"] = "conversation"
    """Kind of long texts to summarize."""
    turns_a_call: Whole = Field(default=20, ge=1, le=1_000)
    """Turns of a conversation that earn one call for facts and summaries; 1 for calls at each turn."""
    pipelines: Whole = Field(default=4, ge=1, le=64)
    """Conversations whose facts are worked on at a time."""
    enable_git_versioning: Flag = False
    """True to make the folder a git repository, with a commit after each change."""
    start_watcher: Flag = False
    """True to see edits by hand at once; False to see them at the next start."""
    ingest_discord: Flag = False
    """True to remember turns in Discord here too."""
