"""Reads the web for commands, which themselves have neither the network nor the key of the search engine."""
