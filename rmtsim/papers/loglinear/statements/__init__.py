"""The statements of `loglinear`, one module per section; they compare theory with simulation."""
