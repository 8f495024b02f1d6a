"""The statements of `liu`, one module per section; they compare theory with simulation."""
