"""The statements of `l2l`, one module per section; they compare theory with simulation."""
