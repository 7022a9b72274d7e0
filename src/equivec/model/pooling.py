"""Poolings: how the states of an expression's tokens become its vector, for each kind of arrays.

A row of the table is a pooling, defined for states side by side in numpy (of one length), in torch
(ragged) and in an ONNX graph. Start and end are left out of `max` and `mean`; they are what `first`
and `last` take. No library is imported here: each definition gets arrays of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from equivec.model.onnx_graph import Graph
    from equivec.model.ragged import Ragged

    Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pooling:
    """One way to pool, thrice."""

    even: Callable[[Floats], Floats]  # (expressions, length, width) to (expressions, width)
    ragged: Callable[[Tensor, Ragged], Tensor]
    node: Callable[[Graph, str], str]  # from the name of the states to that of the vectors


def find_pooling(name: str) -> Pooling:
    """The pooling of a name.

    >>> import numpy as np
    >>> find_pooling("max").even(np.array([[[9, 9], [1, 2], [3, 0], [9, 9]]])).tolist()
    [[3, 2]]
    """
    if name not in POOLINGS:
        raise ConfigError(f"{name!r} is not a pooling; choose from {', '.join(POOLINGS)}")
    return POOLINGS[name]


def _bodies(states: Tensor, layout: Ragged) -> Tensor:  # (sequences, longest - 2, width)
    """The states without start and end; after an expression's last token comes its last again."""
    places = layout.padded_places()
    last = (layout.starts[1:, None] - 2).long().clamp(min=0)
    return states[places[:, 1:-1].minimum(last)]


def _largest(states: Tensor, layout: Ragged) -> Tensor:
    return _bodies(states, layout).amax(dim=1)  # repeated states do not change a maximum


def _mean(states: Tensor, layout: Ragged) -> Tensor:
    bodies, is_inside = _bodies(states, layout), layout.is_inside()[:, 2:, None]
    return (bodies * is_inside).sum(dim=1) / is_inside.sum(dim=1).clamp(min=1)


def _first(states: Tensor, layout: Ragged) -> Tensor:
    return states[layout.starts[:-1].long().clamp(max=len(states) - 1)]


def _last(states: Tensor, layout: Ragged) -> Tensor:
    return states[(layout.starts[1:].long() - 1).clamp(min=0)]


def _over_body(operator: str) -> Callable[[Graph, str], str]:
    def node(graph: Graph, states: str) -> str:
        body = graph.op("Slice", states, *(graph.constant([edge]) for edge in (1, -1, 1)))
        return graph.op(operator, body, graph.constant([1]), keepdims=0)

    return node


def _at(place: int) -> Callable[[Graph, str], str]:
    return lambda graph, states: graph.op("Gather", states, graph.constant(place), axis=1)


POOLINGS: Mapping[str, Pooling] = {
    "max": Pooling(lambda states: states[:, 1:-1].max(axis=1), _largest, _over_body("ReduceMax")),
    "mean": Pooling(lambda states: states[:, 1:-1].mean(axis=1), _mean, _over_body("ReduceMean")),
    "first": Pooling(lambda states: states[:, 0], _first, _at(0)),
    "last": Pooling(lambda states: states[:, -1], _last, _at(-1)),
}
