"""The statements of `sparse`, one module per section; they compare theory with simulation."""
