"""Import of the past: Discord's history from before the agent was there, and exports of DiscordChatExporter.

Read `actor.py` first (who is asked for pages, for their keeping, and for their index), then `progress.py` (how far each
place was read), then `export_file.py` (files without network). Only `journal.py` writes a file, `imports/discord.jsonl`
in the data root; windows write the imported logs themselves. `progress.py` is pure.
"""

from __future__ import annotations
