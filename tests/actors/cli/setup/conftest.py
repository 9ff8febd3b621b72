from __future__ import annotations

from tests.running_playground import server as server
