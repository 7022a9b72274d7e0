"""Every speed claim, ours beside the alternative in one run: `python -m benchmarks`."""
