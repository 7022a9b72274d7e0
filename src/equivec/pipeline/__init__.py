"""The steps, folder in and folder out: what the command line calls."""
