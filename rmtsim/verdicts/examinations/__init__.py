"""How a claim of each kind is asked, measured and decided."""
