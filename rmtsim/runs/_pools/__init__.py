"""Where batches are computed: here, in worker processes, in any executor, on Dask."""
