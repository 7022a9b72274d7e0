"""The reader: one parser over tables for every notation, each part for one kind of thing."""
