"""The OpenAPI description, attacked at random: whatever is sent, the service does not fail."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
# Texts that are nearly expressions reach further than random ones.
EXPRESSIONS = st.one_of(
    st.text("sincoxyexplgtaqr()+-*/^0123456789\\{}| ", max_size=40),
    st.sampled_from(
        ["0/0", "0^0", "x^x^x", "1/sin(0*x)", "log(-x)", r"\frac{1}{x-x}", "exp(exp(exp(x)))",
         "acosh(x/(1+x))", "x" * 2_000, "(" * 99, "tan(pi/2)", "abcdkmnpq", "sqrt(-1)", "9^999"]
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def operations(service):
    schema = schemathesis.openapi.from_dict(service.ask("/openapi.json")[1])
    schema.config.update(base_url=service.url)
    return [result.ok() for result in schema.get_all_operations()]


@pytest.mark.parametrize("examples", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_no_request_that_the_description_allows_or_forbids_is_too_much(
    operations, examples
) -> None:
    assert len(operations) == 11
    for operation in operations:
        # Without parameters there is nothing to get wrong.
        modes = GenerationMode if operation.method == "post" else [GenerationMode.POSITIVE]
        for mode in modes:

            @settings(max_examples=examples)
            @given(case=operation.as_strategy(generation_mode=mode))
            def attack(case) -> None:
                case.call_and_validate(checks=CHECKS)

            attack()


@pytest.mark.parametrize("examples", [60, pytest.param(3_000, marks=pytest.mark.slow)])
def test_no_text_in_the_place_of_a_formula_is_too_much(service, examples) -> None:
    @settings(max_examples=examples)
    @given(text=EXPRESSIONS, other=EXPRESSIONS)
    def attack(text: str, other: str) -> None:
        for path, body in {
            "check": {"left": text, "right": other, "domain": "real"},
            "search": {"expression": text},
            "map": {"expression": text},
            "embed": {"expressions": [text]},
            "analogy": {"x1": text, "y1": other, "y2": "x"},
        }.items():
            status, answer = service.ask(f"/v1/{path}", body)
            assert status in (200, 422), (path, body, answer)

    attack()
