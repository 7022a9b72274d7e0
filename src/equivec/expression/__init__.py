"""The language of expressions: grammars, trees, and text in and out. Standard library only."""
