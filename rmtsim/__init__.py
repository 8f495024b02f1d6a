"""rmtsim simulates random-matrix models of neural networks and verifies theorems about them.

The names below load on first use; other public names are in the packages ``rmtsim.laws``, ``rmtsim.spectra``,
``rmtsim.networks``, ``rmtsim.curvature``, ``rmtsim.matrix_free``, ``rmtsim.ensembles``, ``rmtsim.testing`` and
``rmtsim.papers``.

>>> import rmtsim
>>> rmtsim.MarchenkoPastur(ratio=0.25).support
((0.25, 2.25),)
"""

from rmtsim._internal.lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__all__ += ["__version__"]
