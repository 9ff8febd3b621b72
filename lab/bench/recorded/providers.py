"""Providers of recorded exchanges: the form of each address, and the agent's name for the provider's models. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.forms import chat, converse, embedding, generate, messages, responses
from lab.bench.recorded.talk import LeftOutError

_FORMS: tuple[tuple[str, ModuleType], ...] = (
    ("/chat/completions", chat),
    ("/messages", messages),
    (":generateContent", generate),
    (":streamGenerateContent", generate),
    ("/converse", converse),
    ("/converse-stream", converse),
    ("/responses", responses),
    ("/embeddings", embedding),
    (":batchEmbedContents", embedding),
)
"""End of the path -> the form."""
_NOT_PLAYED = (
    ("count_tokens", "counts of tokens without an answer"),
    ("countTokens", "counts of tokens without an answer"),
    ("input_tokens", "counts of tokens without an answer"),
    ("/files", "files and stores at the provider"),
    ("fileSearchStores", "files and stores at the provider"),
    ("/conversations", "a conversation that the provider keeps"),
    ("/responses/compact", "a conversation that the provider shortens"),
    ("/responses/", "an answer that is fetched later (background)"),
    ("mbed", "embeddings in a form that the agent does not ask for itself"),
    ("/mcp", "a server of tools (MCP)"),
    ("/token", "a sign-in"),
    ("ealtime", "speech (realtime)"),
    ("/audio", "audio"),
    ("/batches", "a batch"),
    ("/rerank", "reranking"),
)
_HOSTS = (
    ("api.openai.com", "OpenAI", "openai"),
    ("openai.azure.com", "Azure OpenAI", "azure"),
    ("api.anthropic.com", "Anthropic", "anthropic"),
    ("generativelanguage.googleapis.com", "Gemini", "gemini"),
    ("aiplatform.googleapis.com", "Vertex AI", "gemini"),
    ("bedrock-runtime", "Bedrock", "bedrock"),
    ("bedrock-mantle", "Bedrock Mantle", "openai"),
    ("api.groq.com", "Groq", "groq"),
    ("api.mistral.ai", "Mistral", "mistral"),
    ("openrouter.ai", "OpenRouter", "openrouter"),
    ("api.deepseek.com", "DeepSeek", "deepseek"),
    ("api.cohere", "Cohere", "cohere_chat"),
    ("huggingface.co", "Hugging Face", "hosted_vllm"),
    ("api.x.ai", "xAI", "xai"),
    ("api.cerebras.ai", "Cerebras", "cerebras"),
    ("api.z.ai", "Z.ai", "hosted_vllm"),
    ("ollama.com", "Ollama", "hosted_vllm"),
    ("snowflakecomputing.com", "Snowflake", "hosted_vllm"),
    ("heroku.com", "Heroku", "hosted_vllm"),
    ("crusoecloud.com", "Crusoe", "hosted_vllm"),
    ("api.voyageai.com", "Voyage", "voyage"),
    ("api.together", "Together", "together_ai"),
    ("fireworks.ai", "Fireworks", "fireworks_ai"),
    ("moonshot", "Moonshot", "hosted_vllm"),
)
"""Part of a host, the provider, and the prefix of its models' names in the agent's settings."""
_OF_OWN_FORM = frozenset({"anthropic", "gemini", "bedrock", "cohere_chat"})
"""Providers whose addresses in OpenAI's form are called as a custom server."""
_OTHERS = {
    chat: "hosted_vllm",
    messages: "anthropic",
    converse: "bedrock",
    generate: "gemini",
    responses: "openai",
    embedding: "openai",
}
"""Form -> the same for a gateway, or a server of one's own."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Destination of a recorded request."""

    provider: str
    prefix: str
    form: ModuleType
    base: str
    """Path before the form's own end."""

    @property
    def form_name(self) -> str:
        """Name of the form."""
        return self.form.__name__.rpartition(".")[2]

    def model(self, name: str) -> str:
        """The agent's setting `model.name` for a model of the provider."""
        if self.form is responses:
            return f"openai/responses/{name}"
        if self.form is converse:
            return f"bedrock/converse/{name}"
        return f"{self.prefix}/{name}"


def provider_of(host: str) -> str:
    """Name of the provider at a host."""
    return next((name for part, name, _ in _HOSTS if part in host), "gateways and others")


def endpoint_of(exchange: Exchange) -> Endpoint:
    """Destination of an exchange.

    Raises:
        LeftOutError: the exchange is no call of a model.
    """
    path = exchange.path
    if exchange.method == "POST":
        for end, form in _FORMS:
            if path.endswith(end):
                prefix = next((each for part, _, each in _HOSTS if part in exchange.host), _OTHERS[form])
                if form is chat and prefix in _OF_OWN_FORM:
                    prefix = "hosted_vllm"
                base = path[: -len(end)]
                base = base.partition("/models/")[0].partition("/model/")[0]
                return Endpoint(provider_of(exchange.host), prefix, form, base)
    for part, reason in _NOT_PLAYED:
        if part in path:
            raise LeftOutError(reason)
    act = path.rpartition("/")[2].rpartition(":")[2]
    raise LeftOutError(
        "a download" if exchange.method == "GET" else f"an address that the agent does not call (…{act})"
    )
