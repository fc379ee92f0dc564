"""Other libraries that compute the same; a new one is a module here and a row of `PEERS`."""
