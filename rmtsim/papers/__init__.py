"""The papers whose statements are tested, one package each, all with the same layout."""
