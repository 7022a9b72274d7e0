"""Work in processes of its own: limits that hold, workers that are replaced, shards, Ray."""
