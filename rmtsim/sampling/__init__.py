"""Random data and networks: validate, draw, call kernels; the simulation side of a claim."""
