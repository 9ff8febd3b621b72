"""The benchmark of recall from a workspace."""
