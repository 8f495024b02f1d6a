"""The statements of `li`, one module per section; they compare theory with simulation."""
