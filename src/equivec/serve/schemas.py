r"""What is sent and what comes back, as OpenAPI describes it.

Upper bounds are those of ServiceConfig; they are checked where a request is answered.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[
    str,
    Field(
        description="An expression in LaTeX, infix or prefix form.",
        examples=["sin(x)/cos(x)", r"\frac{\sin x}{\cos x}"],
    ),
]
DomainName = Literal["positive", "real"]
Count = Annotated[int, Field(ge=1, description="How many answers to give at most.")]
Cosine = Annotated[float, Field(examples=[0.873])]
ModelName = Annotated[str, Field(examples=["default"])]
Size = Annotated[int, Field(description="Expressions of the index.", examples=[60_000])]


class _Request(BaseModel):
    # A misspelt setting is refused rather than ignored.
    model_config = ConfigDict(extra="forbid")


class ParseRequest(_Request):
    """A text to read."""

    expression: Text
    format: Literal["auto", "infix", "latex", "prefix"] = "auto"


class EmbedRequest(_Request):
    """Expressions to turn into vectors."""

    expressions: Annotated[list[Text], Field(min_length=1, examples=[["sin(x)/cos(x)", r"\tan x"]])]
    normalize: Annotated[bool, Field(description="Whether vectors get the length 1.")] = True


class FilterFields(_Request):
    """Which expressions may be answers."""

    contains: Annotated[
        list[str], Field(max_length=64, description="Symbols that must occur.", examples=[["sin"]])
    ] = []
    excludes: Annotated[
        list[str], Field(max_length=64, description="Symbols that must not.", examples=[["log"]])
    ] = []
    min_operators: Annotated[int, Field(ge=0, le=10_000)] = 0
    max_operators: Annotated[int, Field(ge=0, le=10_000)] | None = None
    variables: Annotated[int, Field(ge=0, le=100)] | None = None


class SearchRequest(_Request):
    """A formula to look for."""

    expression: Text
    k: Count = 10
    filter: FilterFields = FilterFields()
    same_names: Annotated[bool, Field(description="Take names of variables as they are.")] = False


class EquivalentsRequest(_Request):
    """A formula that the model is to write in other ways."""

    expression: Text
    k: Count = 10
    beam: Annotated[
        int | None, Field(ge=1, description="The width of the beam search; else the widest.")
    ] = None


class CheckRequest(_Request):
    """Two formulas to compare."""

    left: Annotated[Text, Field(examples=["sqrt(x^2)"])]
    right: Annotated[Text, Field(examples=["x"])]
    domain: Annotated[
        DomainName | None,
        Field(
            description="Judge over this domain alone; else over the reals, and for positive "
            "variables where that differs."
        ),
    ] = None
    judge: Annotated[
        Literal["numeric", "sympy"],
        Field(description="Our own judge, or SymPy's simplify(left - right) == 0."),
    ] = "numeric"


class AnalogyRequest(_Request):
    """What is to y2 as x1 is to y1?"""

    x1: Annotated[Text, Field(examples=["cos(x)"])]
    y1: Annotated[Text, Field(examples=["sin(x)"])]
    y2: Annotated[Text, Field(examples=["csc(x)"])]
    k: Count = 10


class LocateRequest(_Request):
    """A formula to find on the map, with its neighbours."""

    expression: Text
    k: Count = 10


class Formula(BaseModel):
    """An expression in every format; its infix form is also SymPy's, but for e."""

    infix: Annotated[str, Field(examples=["sin(x)/cos(x)"])]
    latex: Annotated[str, Field(examples=[r"\frac{\sin\left(x\right)}{\cos\left(x\right)}"])]
    prefix: Annotated[str, Field(examples=["div sin x cos x"])]
    mathml: Annotated[str, Field(examples=["<math>...</math>"])]


class ParseResponse(BaseModel):
    """What a text spells."""

    formula: Formula
    nodes: Annotated[int, Field(examples=[5])]
    depth: Annotated[int, Field(examples=[3])]
    variables: Annotated[list[str], Field(examples=[["x"]])]


class EmbedResponse(BaseModel):
    """A vector for each expression, in order."""

    model: ModelName
    width: Annotated[int, Field(examples=[2])]
    vectors: Annotated[list[list[float]], Field(examples=[[[0.6, 0.8], [0.8, -0.6]]])]


class WitnessPoint(BaseModel):
    """A point and the value of each side there; none where a side is undefined."""

    point: Annotated[dict[str, float], Field(examples=[{"x": -1.0}])]
    left: Annotated[str | None, Field(examples=["1"])]
    right: Annotated[str | None, Field(examples=["-1"])]


class Finding(StrEnum):
    """How a comparison can end: our judge's four words, and SymPy's."""

    EQUAL = "EQUAL"
    EQUAL_ON_COMMON_DOMAIN = "EQUAL_ON_COMMON_DOMAIN"
    DIFFERENT = "DIFFERENT"
    UNKNOWN = "UNKNOWN"
    NOT_SHOWN = "NOT_SHOWN"
    TIME_LIMIT = "TIME_LIMIT"
    FAILED = "FAILED"


class OneVerdict(BaseModel):
    """How two expressions stand to each other over one domain, and what that rests on.

    EQUAL says that no difference was found; DIFFERENT is proved.
    """

    relation: Finding
    reason: Annotated[str, Field(examples=["the values differ, by proof"])]
    witness: WitnessPoint | None = None


class Judgement(OneVerdict):
    """A verdict over the reals, unless another domain was asked for, and what people are told."""

    domain: Annotated[DomainName, Field(examples=["real"])]
    words: Annotated[
        str,
        Field(description="The verdict in a few words.", examples=["equal for positive x"]),
    ]
    evidence: Annotated[
        str,
        Field(
            description="What the words rest on.",
            examples=["over the reals they differ at x = -1: 1 and -1"],
        ),
    ]
    sentence: Annotated[
        str,
        Field(
            description="Words and evidence.",
            examples=["equal for positive x; over the reals they differ at x = -1: 1 and -1"],
        ),
    ]
    rank: Annotated[
        int,
        Field(
            description="0: equal; 1: equal where both are defined; 2: either for positive "
            "variables alone; 3: none of these.",
            examples=[2],
        ),
    ]
    positive: Annotated[
        OneVerdict | None,
        Field(
            description="The verdict for positive variables; none where the one over the reals "
            "says as much."
        ),
    ] = None


class FoundFormula(BaseModel):
    """An expression of the index."""

    formula: Formula
    cosine: Cosine
    verdict: Annotated[
        Judgement | None, Field(description="None where there was no time to judge.")
    ]
    renaming: Annotated[
        dict[str, str],
        Field(description="Where the query's variables went.", examples=[{"t": "x"}]),
    ]


class SearchResponse(BaseModel):
    """Expressions by how equal they are, then the others by cosine."""

    query: Formula
    hits: list[FoundFormula]
    expressions: Size
    seconds: Annotated[
        dict[str, float], Field(examples=[{"encode": 0.002, "lookup": 0.001, "judge": 0.005}])
    ]


class Proposal(BaseModel):
    """What the model writes in place of an expression."""

    formula: Formula
    log_probability: Annotated[float, Field(examples=[-3.9])]
    verdict: Judgement


class EquivalentsResponse(BaseModel):
    """The model's proposals by how equal they are, then by probability."""

    query: Formula
    proposals: list[Proposal]


class Plot(BaseModel):
    """Both sides along one variable, the others held; none where a side is undefined."""

    variable: Annotated[str, Field(examples=["x"])]
    held: Annotated[dict[str, float], Field(examples=[{"y": 1.0}])]
    points: Annotated[list[float], Field(examples=[[-1.0, 0.0, 1.0]])]
    left: Annotated[list[float | None], Field(examples=[[None, 0.0, 1.0]])]
    right: Annotated[list[float | None], Field(examples=[[-1.0, 0.0, 1.0]])]


class CheckResponse(BaseModel):
    """The verdict on two formulas, and what to draw."""

    left: Formula
    right: Formula
    verdict: Judgement
    plot: Annotated[Plot | None, Field(description="None where there is no variable.")]


class AnalogyResponse(BaseModel):
    """The nearest expressions to emb(x1) - emb(y1) + emb(y2)."""

    given: list[Formula]
    hits: list[FoundFormula]


class MapResponse(BaseModel):
    """Expressions of the index in two dimensions: their vectors' first principal components."""

    expressions: Annotated[list[str], Field(examples=[["sin(x)", "x + 1"]])]
    x: Annotated[list[float], Field(examples=[[0.31, -0.12]])]
    y: Annotated[list[float], Field(examples=[[0.07, 0.4]])]
    explained: Annotated[
        list[float],
        Field(description="The share of the variance on each axis.", examples=[[0.06, 0.05]]),
    ]


class Place(BaseModel):
    """Where a formula lies on the map."""

    formula: Formula
    x: Annotated[float, Field(examples=[0.31])]
    y: Annotated[float, Field(examples=[0.07])]


class NeighbourPlace(Place):
    """Where a neighbour lies, and how near it is before it is flattened."""

    cosine: Cosine


class LocateResponse(BaseModel):
    """Where a formula and its neighbours lie on the map."""

    query: Place
    neighbours: list[NeighbourPlace]


class Health(BaseModel):
    """That the process runs."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """That requests can be answered, and with what."""

    status: Literal["ready"] = "ready"
    version: Annotated[str, Field(examples=["0.1.0"])]
    model: ModelName
    expressions: Size
    judges: Annotated[
        list[Literal["numeric", "sympy"]],
        Field(description="Who can be asked in a check.", examples=[["numeric"]]),
    ]
