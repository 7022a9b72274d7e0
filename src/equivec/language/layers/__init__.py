"""The layers of the language, each a signature usable alone, and all of them in one."""

from equivec.language.layers.calculus import CALCULUS
from equivec.language.layers.containers import CONTAINERS
from equivec.language.layers.elementary import ELEMENTARY
from equivec.language.layers.functions import FUNCTIONS
from equivec.language.layers.relations import RELATIONS
from equivec.language.layers.unknown import UNKNOWN
from equivec.language.operators import compose

LAYERS = (ELEMENTARY, FUNCTIONS, RELATIONS, CONTAINERS, CALCULUS, UNKNOWN)
SIGNATURE = compose("the language of formulas", LAYERS)

__all__ = [
    "CALCULUS",
    "CONTAINERS",
    "ELEMENTARY",
    "FUNCTIONS",
    "LAYERS",
    "RELATIONS",
    "SIGNATURE",
    "UNKNOWN",
]
