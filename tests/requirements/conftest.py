from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.requirements.sources import sources


@pytest.fixture(scope="package", autouse=True)
def let_go() -> Iterator[None]:
    """Forget the trees after the folder: hundreds of megabytes, through which every later garbage collection would go."""
    yield
    sources.cache_clear()
