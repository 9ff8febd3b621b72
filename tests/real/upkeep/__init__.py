"""Public reports about memories that lost rules, upkeep that held answers up, and summaries that said too much."""
