"""What expressions that are drawn may become: their variables renamed, analogies in other forms.

An analogy holds for functions. Were it always written in the same forms, these would part from all
others, which it does not move: tan(x) from 1/cot(x). Where x1 equals y1, as sin(-x) and -sin(x), it
is an analogy of writing, and stays as it is written. So does what is sought: of all that is equal
it is the plain form, and beside it stands another, from which it is to be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from equivec.model.clusters import GIVEN, PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

PARTS_READ = PARTS + 1  # the parts of an analogy, and another form of its x2
OTHER_FORMS = 0.25  # how many given expressions of analogies take another form, if they have one


class Names:
    """New names for variables, and a number that tells where the names went."""

    def __init__(self, tokens: int, variables: Sequence[int], used: Tensor) -> None:
        self.used = used  # (clusters,): a bit for each variable
        self.tokens = torch.arange(tokens, device=used.device)
        self.variables = torch.tensor(variables, device=used.device)
        # So large that other moves of variables have another sum.
        large = [pow(1_000_003, 1 + place, 2**61 - 1) for place in range(len(variables))]
        self.weights = torch.tensor(large, device=used.device)

    def draw(self, points: Tensor, fraction: float) -> Tensor:
        """For each pair what becomes of every token id: a fraction get their variables permuted.

        `points`, in [0, 1), has a column for each variable, and one that decides whether to.
        """
        table = self.tokens.repeat(len(points), 1)
        if not fraction:
            return table
        order, is_renamed = points[:, 1:].argsort(dim=1), points[:, :1] < fraction
        names = torch.where(is_renamed, self.variables[order], self.variables)
        return table.scatter(1, self.variables.expand(len(points), -1), names)

    def moves(self, clusters: Tensor, names: Tensor) -> Tensor:  # (pairs,)
        """A number for where the variables of each pair went, 0 where they kept their names."""
        places = torch.arange(len(self.variables), device=names.device)
        is_used = (self.used[clusters, None] >> places) & 1
        moves = names[:, self.variables] - self.variables
        return (moves * is_used * self.weights).sum(dim=1)


class Forms:
    """Where the forms of the functions of analogies are among all expressions.

    Clusters come first, one after another, and then the analogies, as clusters of five.
    """

    def __init__(
        self,
        functions: Tensor,  # (clusters,)
        of_analogies: Tensor,  # (analogies, 5)
        firsts: Tensor,  # (clusters and analogies,): the place of their first expression
        sizes: Tensor,  # (clusters and analogies,)
    ) -> None:
        self.firsts, self.sizes = firsts, sizes
        ordered, self.clusters = functions.sort(stable=True)
        self.begins, self.ends = (  # of the clusters of a function, in their order
            torch.searchsorted(ordered, of_analogies, right=is_end) for is_end in (False, True)
        )
        of_x1, of_y1 = of_analogies[:, 0], of_analogies[:, 1]
        is_given = torch.arange(PARTS, device=functions.device) < GIVEN
        self.may_change = (self.begins < self.ends) & is_given & (of_x1 != of_y1)[:, None]

    def of_analogies(self, analogies: Tensor, points: Tensor) -> Tensor:
        """Some draws of each expression of analogies, by random points in [0, 1).

        `points` has two rows more than there are draws: one chooses a cluster, one whether to.
        """
        own = self.firsts[len(self.clusters) + analogies]
        own = own + torch.arange(PARTS, device=own.device)[:, None]
        begins, ends = self.begins[analogies].T, self.ends[analogies].T
        others = self._members(begins, ends, points[0], points[2:])
        changes = self.may_change[analogies].T & (points[1] < OTHER_FORMS)
        return torch.where(changes, others, own)  # (draws, parts, analogies)

    def of_answers(self, analogies: Tensor, points: Tensor) -> Tensor:
        """A form of what each analogy seeks, by two random points; x2 itself if there is none."""
        begins, ends = self.begins[analogies, GIVEN], self.ends[analogies, GIVEN]
        others = self._members(begins, ends, *points)
        own = self.firsts[len(self.clusters) + analogies] + GIVEN
        return torch.where(begins < ends, others, own)

    def _members(
        self, begins: Tensor, ends: Tensor, of_clusters: Tensor, of_members: Tensor
    ) -> Tensor:
        """Members of the clusters between two places, by points; any at all if there are none."""
        places = begins + (of_clusters * (ends - begins)).long()
        clusters = self.clusters[places.clamp(max=len(self.clusters) - 1)]
        return self.firsts[clusters] + (of_members * self.sizes[clusters]).long()
