"""Closed forms for sparse coding with a known dictionary (thesis of C. Wu, chapter 2, appendix A)."""
