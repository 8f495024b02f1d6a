"""What the log-linear word model predicts (thesis of C. Wu, chapter 3, appendix B): when pre-training helps.

Derivations: docs/loglinear.md.
"""

from rmtsim.predict.loglinear.lowered_word import lowered_word_bound, lowered_word_divergence

__all__ = ["lowered_word_bound", "lowered_word_divergence"]
