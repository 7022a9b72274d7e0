"""Numbers and verdicts: evaluation, equivalence, fingerprints, and the bridge to SymPy."""
