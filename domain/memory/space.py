"""Vector space by the settings: provider, model and size; known without loading a model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GOOGLE_KEY = "GEMINI_API_KEY"
"""Name of the secret for Google's embeddings."""
OPENAI_KEY = "OPENAI_API_KEY"
GOOGLE_MODEL = "gemini-embedding-001"
LOCAL = "local"
"""Name of this machine's model in settings."""
LOCAL_MODEL = "all-MiniLM-L6-v2"
LOCAL_DIMENSIONS = 384
HASHED_MODEL = "hashed-words-v1"
HASHED_DIMENSIONS = 384


class Provider(StrEnum):
    """Maker of vectors."""

    GOOGLE = "google"
    LITELLM = "litellm"
    LOCAL = "local"
    HASHED = "hashed"
    OPENAI = "openai"
    """Server with OpenAI's API; the server decides the number of dimensions."""


@dataclass(frozen=True, slots=True)
class Space:
    """Vector space: only vectors of the same space may be compared."""

    provider: Provider
    model: str
    dimensions: int
    """Number of dimensions; 0 while the maker of the vectors has not told the number."""

    @property
    def name(self) -> str:
        """Name under which vectors are stored, e.g. `google/gemini-embedding-001/768`."""
        prefix = "" if self.provider is Provider.HASHED else f"{self.provider}/"
        return f"{prefix}{self.model}/{self.dimensions}"


def embedding_space(
    provider: str, model: str, dimensions: int, *, has_google_key: bool, has_local_extra: bool
) -> Space:
    """Space of the settings' `[embedder]` table.

    Args:
        provider: `auto | google | local | litellm`; `auto` is google with a key, else local. Local
            means hashed words without the extra.
        model: Empty for the provider's usual model; local has a single model.
        dimensions: Requested from providers able to shorten vectors.
        has_google_key: True with a GEMINI_API_KEY.
        has_local_extra: True if the local model's package and libraries are installed.

    Raises:
        ValueError: an unknown provider, or litellm without a model.
    """
    match provider:
        case "google":
            return Space(Provider.GOOGLE, model or GOOGLE_MODEL, dimensions)
        case "litellm":
            if not model:
                raise ValueError("embedder.model is empty, but litellm needs one, e.g. openai/text-embedding-3-small")
            return Space(Provider.LITELLM, model, dimensions)
        case "local":
            if has_local_extra:
                return Space(Provider.LOCAL, LOCAL_MODEL, LOCAL_DIMENSIONS)
            return Space(Provider.HASHED, HASHED_MODEL, HASHED_DIMENSIONS)
        case "auto":
            chosen = "google" if has_google_key else "local"
            return embedding_space(
                chosen, model, dimensions, has_google_key=has_google_key, has_local_extra=has_local_extra
            )
        case _:
            raise ValueError(f"embedder.provider {provider!r} must be auto, google, local or litellm")


def folder_model(folder: str, fingerprint: str) -> str:
    """Name of the model in a local folder: the folder's name, and the fingerprint of the weights."""
    return f"{folder}@{fingerprint}"


def is_of_model(name: str, model: str, *, folder: str = "") -> bool:
    """True if the vector space of a given name belongs to an embedding model, as far as names tell.

    Args:
        name: Name of the space; the number of dimensions is a server's decision.
        model: As named by a server, or `local`.
        folder: Name of the model's folder; empty without a folder.
    """
    if folder:
        return name.startswith(f"{Provider.LOCAL}/{folder_model(folder, '')}")
    if model == LOCAL:
        return name.startswith((f"{Provider.LOCAL}/{LOCAL_MODEL}/", f"{HASHED_MODEL}/"))
    head, _, dimensions = name.rpartition("/")
    return head == f"{Provider.OPENAI}/{model}" and dimensions.isdecimal()
