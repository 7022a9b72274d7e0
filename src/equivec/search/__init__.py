"""An index of expressions: those that are equal, by proof, and those whose vectors are near."""
