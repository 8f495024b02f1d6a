"""How a claim is asked, measured and decided: one loop (rounds), and a strategy for each kind of evidence."""
