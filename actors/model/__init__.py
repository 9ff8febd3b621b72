"""Calls language models: many at once, each window in its turn, with retries."""
