"""The statements of `wu`, one module per section; they compare theory with simulation."""
