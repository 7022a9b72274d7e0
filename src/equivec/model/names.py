"""New names for the variables of some pairs, and a number that tells where the names went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from equivec.expression.grammar import ELEMENTARY

if TYPE_CHECKING:
    from torch import Tensor

    from equivec.expression.vocabulary import Vocabulary


class Names:
    """The variables of a vocabulary, and which of them each cluster has."""

    def __init__(self, vocabulary: Vocabulary, used: Tensor) -> None:
        self.used = used  # (clusters,): a bit for each variable
        self.tokens = torch.arange(len(vocabulary), device=used.device)
        ids = vocabulary.encode(ELEMENTARY.variables)
        self.variables = torch.tensor(ids, device=used.device)
        # So large that other moves of variables have another sum.
        large = [pow(1_000_003, 1 + place, 2**61 - 1) for place in range(len(ids))]
        self.weights = torch.tensor(large, device=used.device)

    def draw(self, points: Tensor, share: float) -> Tensor:
        """For each pair what becomes of every token id: a share get their variables permuted.

        `points`, in [0, 1), has a column for each variable, and one that decides whether to.
        """
        table = self.tokens.repeat(len(points), 1)
        if not share:
            return table
        order, is_renamed = points[:, 1:].argsort(dim=1), points[:, :1] < share
        names = torch.where(is_renamed, self.variables[order], self.variables)
        return table.scatter(1, self.variables.expand(len(points), -1), names)

    def moves(self, clusters: Tensor, names: Tensor) -> Tensor:  # (pairs,)
        """A number for where the variables of each pair went, 0 where they kept their names."""
        places = torch.arange(len(self.variables), device=names.device)
        is_used = (self.used[clusters, None] >> places) & 1
        moves = names[:, self.variables] - self.variables
        return (moves * is_used * self.weights).sum(dim=1)
