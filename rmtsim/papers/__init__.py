"""The built-in papers, one package each, all with the same layout as a paper of another distribution."""

ORDER = ("dong", "wu", "li", "l2l", "liu", "sparse", "loglinear", "textbook")
"""The order of the listings; papers that are not named here follow."""
