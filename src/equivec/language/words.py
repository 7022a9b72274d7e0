"""Words between formulas, and what they say of the two formulas beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# the operator that joins the formula before the word with the one after it
CONNECTORS: Mapping[str, str] = {
    word.strip(): operator
    for operator, words in {
        "where": (
            "if, for, for all, for every, for each, for any, for some, where, with, when, whenever, "  # noqa: E501
            "such that, s.t., s.t, on, as, provided, provided that, given, iff, "
            "subject to, if and only if, only if, over, given that, w.r.t., under, for which, "
            "in, on the, for large, assuming, by, via, at, per, while"
        ),
        "both": "and, but, as well as, also, resp., while also, where also",
        "either": "or",
        "then": "then, so, hence, thus, therefore, i.e., ie, implies, that is, so that, we have, "
        "we get, or equivalently, is, and so, and hence, then we have, and then, thus",
    }.items()
    for word in words.split(",")
}
OTHERWISE = frozenset(("otherwise", "else", "elsewhere"))
