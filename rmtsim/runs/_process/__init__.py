"""The process itself: BLAS threads, memory, interrupts."""
