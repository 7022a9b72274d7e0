"""The reader: one parser over tables, the same for every notation; each part reads one kind of thing."""
