"""Collections of expressions: how they are made, split and stored."""
