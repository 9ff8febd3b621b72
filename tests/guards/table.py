"""All guards."""

from __future__ import annotations

from tests.guards.guard import Guard
from tests.guards.of_approval import OF_APPROVAL
from tests.guards.of_documents import OF_DOCUMENTS
from tests.guards.of_doors import OF_DOORS
from tests.guards.of_folders import OF_FOLDERS
from tests.guards.of_forgetting import OF_FORGETTING
from tests.guards.of_machine import OF_MACHINE
from tests.guards.of_mcp import OF_MCP
from tests.guards.of_off_record import OF_OFF_RECORD
from tests.guards.of_sandbox import OF_SANDBOX
from tests.guards.of_servers import OF_SERVERS
from tests.guards.of_skills import OF_SKILLS
from tests.guards.of_speech import OF_SPEECH
from tests.guards.of_words import OF_WORDS

GUARDS: tuple[Guard, ...] = (
    *OF_SANDBOX,
    *OF_FOLDERS,
    *OF_DOORS,
    *OF_DOCUMENTS,
    *OF_SERVERS,
    *OF_SPEECH,
    *OF_WORDS,
    *OF_MACHINE,
    *OF_APPROVAL,
    *OF_FORGETTING,
    *OF_OFF_RECORD,
    *OF_SKILLS,
    *OF_MCP,
)
