"""Who acts: one actor, one resource, one folder."""
