"""How a claim is measured and decided: one loop (rounds), and a strategy for each kind of evidence."""
