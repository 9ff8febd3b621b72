"""Places of a server: the map from channels and threads to windows, the rules of each place, its readers.

Read first `window_map.py` (channel, thread or category to window), then `channel_policy.py` (rules of each place), then
`audience.py` (readers, by permissions). No module here calls Discord.
"""
