"""Upkeep of a window's files by models."""
