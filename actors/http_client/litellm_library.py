"""litellm, for the rooms that call providers through litellm: quiet, without downloads, and with bounded calls."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any

from actors.http_client.late_import import LATE_IMPORT
from actors.http_client.library_transport import bound_calls

MODE = "LITELLM_MODE"
"""Variable of litellm's mode: in any other mode litellm obeys the `.env` of the agent's working directory."""
ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    MODE: "PRODUCTION",
    "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER": "True",
    "AIOHTTP_CONNECTOR_LIMIT": "10000",
    "AIOHTTP_CONNECTOR_LIMIT_PER_HOST": "10000",
}
"""Environment read by litellm at import, unless set by the operator: no download of prices and headers, no `.env` file,
no OpenAI client for `openai/`, and room for every possible call in flight. (A limit of 0 would not mean no limit but
aiohttp's own 100.)"""


def import_litellm() -> Any:
    """Import litellm, which takes seconds; no prints and no log lines, since log lines can hold request text."""
    with LATE_IMPORT:
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        os.environ[MODE] = ENVIRONMENT[MODE]
        warnings.filterwarnings("ignore", message=".* `ReadOnly` qualifier", category=UserWarning)
        import litellm
        from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        bound_calls(AsyncHTTPHandler, LiteLLMAiohttpTransport)
        litellm.suppress_debug_info = True
        # Its embedding API takes our "no retries" for "unsaid" and would try each call three times.
        litellm.DEFAULT_MAX_RETRIES = 0
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        for name in ("httpx", "openai"):
            logging.getLogger(name).setLevel(logging.WARNING)
        return litellm
