"""Methods of an arm on Dask arrays: lazy results, computed block by block."""
