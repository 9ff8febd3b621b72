"""Discord's messages: the words of a message, from the JSON that Discord sends.

Read first `said.py` (all words of a message, and which messages count), second `parts.py` (polls, embeds, components
and other parts), third `wire.py` (reading JSON of any shape). All pure; arrival, quotation, catch-up, comparison, edits
and memory take the words of a message from here, so that all have the same.
"""
