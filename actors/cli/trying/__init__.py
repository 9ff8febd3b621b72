"""Trying: the bot in a process of its own beside the page, so that it can be killed before one's eyes.

Read first `bot.py` (the process as the page's side has it), then `child.py` (what runs in it: the agent, unchanged).
"""
