"""The SemVec benchmark from data to rows of scores: `steps` has what a command calls."""
