"""Cases of what embedding servers do to single texts, sizes and counts, each from a public report."""
