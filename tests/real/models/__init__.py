"""Public reports about what models answer, and about words that models take for their templates'."""
