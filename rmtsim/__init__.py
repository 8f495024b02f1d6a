"""rmtsim simulates random-matrix models of neural networks and verifies theorems about them."""

__version__ = "0.1.0"
