"""A small memory layer that no table of the tree names: a line that people note is shown before every turn."""
