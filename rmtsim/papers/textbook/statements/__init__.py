"""The statements of `textbook`, one module per section; they compare theory with simulation."""
