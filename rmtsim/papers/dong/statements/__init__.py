"""The statements of `dong`, one module per section; they compare theory with simulation."""
