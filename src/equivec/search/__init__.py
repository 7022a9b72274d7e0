"""An index of expressions: those that the judge finds equal, and those whose vectors are near."""
