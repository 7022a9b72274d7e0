"""The SemVec benchmark from data to rows of scores: `steps` has what the commands call."""
