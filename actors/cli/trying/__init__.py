"""Trying: the bot in its own process beside the page, so you can watch a kill.

Read first `bot.py` (the process as seen from the page), then `child.py` (the program of the process: the agent,
unchanged).
"""
