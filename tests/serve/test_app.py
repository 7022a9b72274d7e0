"""The service: what it answers, and what it says when a request is wrong."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice

import numpy as np
import pytest
from starlette.testclient import TestClient

from equivec.errors import BusyError, FileFormatError
from equivec.expression.text import parse
from equivec.search.index import Index
from equivec.search.judging import SearchConfig
from equivec.serve.app import create_app
from equivec.serve.config import ServiceConfig
from support.encoders import FakeEmbedder
from support.services import FORMULAS, PATIENCE, load, no_equivalents


def ask(client: TestClient, path: str, **body):
    answer = client.post(f"/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def infix(found) -> list[str]:
    return [each["formula"]["infix"] for each in found]


def test_eulers_number_alone_is_an_answer_like_others(client: TestClient) -> None:
    for path, body in (
        ("search", {"expression": "e"}),
        ("embed", {"expressions": ["e"]}),
        ("check", {"left": "exp(1)", "right": "e"}),
    ):
        answer = client.post(f"/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text


def test_parse_writes_every_format(client) -> None:
    answer = ask(client, "parse", expression=r"\frac{\sin x}{2}")
    formula = answer["formula"]
    assert (formula["infix"], formula["prefix"]) == ("sin(x)/2", "div sin x INT+ 2")
    assert formula["mathml"].startswith("<math ")
    assert (answer["nodes"], answer["depth"], answer["variables"]) == (4, 3, ["x"])


def test_embed_gives_the_vectors_of_the_embedder(client) -> None:
    answer = ask(client, "embed", expressions=["sin(x)", r"\cos x + 1"])
    expected = FakeEmbedder().encode([parse("sin(x)"), parse("cos(x) + 1")])
    np.testing.assert_allclose(answer["vectors"], expected, rtol=1e-6)
    assert (answer["model"], answer["width"]) == ("fake", 32)
    raw = ask(client, "embed", expressions=["sin(x)"], normalize=False)
    expected = FakeEmbedder().encode([parse("sin(x)")], normalize=False)
    np.testing.assert_allclose(raw["vectors"], expected, rtol=1e-6)


def test_many_expressions_are_embedded_as_few_are(client) -> None:
    texts = [f"{'x + ' * 20}sin({n}*x)" for n in range(100)]
    together = ask(client, "embed", expressions=texts)["vectors"]
    one_by_one = [ask(client, "embed", expressions=[text])["vectors"][0] for text in texts[:5]]
    assert together[:5] == one_by_one
    assert len(together) == 100


def test_search_answers_as_the_index_does(client, folder) -> None:
    answer = ask(client, "search", expression="a^2 + 2ab + b^2", k=5)
    index = Index.open(folder, FakeEmbedder())
    result = index.search("a^2 + 2ab + b^2", k=5, config=SearchConfig(judge_seconds=60))
    assert infix(answer["hits"]) == [hit.expression for hit in result.hits]
    first = answer["hits"][0]
    assert first["formula"]["infix"] == "(p + q)**2"
    assert first["verdict"]["relation"] == "EQUAL"
    assert first["renaming"] == {"a": "p", "b": "q"}
    assert answer["expressions"] == len(FORMULAS)
    assert set(answer["seconds"]) == {"encode", "lookup", "neighbours", "judge"}


def test_filters_are_obeyed(client) -> None:
    answer = ask(
        client, "search", expression="tan(x)", k=50, filter={"contains": ["sin"], "variables": 1}
    )
    assert answer["hits"][0]["formula"]["infix"] == "sin(x)/cos(x)"
    assert all("sin" in text for text in infix(answer["hits"]))


def test_names_matter_if_asked(client) -> None:
    hits = ask(client, "search", expression="tan(u)", same_names=True)["hits"]
    assert "EQUAL" not in [hit["verdict"]["relation"] for hit in hits]


def test_equivalents_come_with_verdicts(client) -> None:
    proposals = ask(client, "equivalents", expression="sin(x)", k=3)["proposals"]
    assert [each["verdict"]["relation"] for each in proposals] == ["EQUAL", "DIFFERENT", "EQUAL"]
    assert [each["log_probability"] for each in proposals] == [0, -0.5, -1]


def test_a_check_gives_verdict_witness_and_plot(client) -> None:
    answer = ask(client, "check", left="sqrt(x)^2", right="x", domain="real")
    verdict = answer["verdict"]
    assert verdict["relation"] == "EQUAL_ON_COMMON_DOMAIN"
    assert verdict["witness"] == {"point": {"x": -1}, "left": None, "right": "-1"}
    plot = answer["plot"]
    assert plot["variable"] == "x"
    assert len(plot["points"]) == len(plot["left"]) == len(plot["right"])
    assert (plot["left"][0], plot["right"][0]) == (None, plot["points"][0])
    assert plot["left"][-1] == pytest.approx(plot["points"][-1])


def test_a_check_is_over_the_reals_and_shows_positive_variables_beside_them(client) -> None:
    answer = ask(client, "check", left="sqrt(x^2)", right="x")
    verdict = answer["verdict"]
    assert (verdict["relation"], verdict["domain"], verdict["rank"]) == ("DIFFERENT", "real", 2)
    assert verdict["positive"]["relation"] == "EQUAL"
    assert verdict["words"] == "equal for positive x"
    assert verdict["evidence"] == "over the reals they differ at x = -1: 1 and -1"
    assert verdict["sentence"] == f"{verdict['words']}; {verdict['evidence']}"
    assert answer["plot"]["points"][0] == -10
    alone = ask(client, "check", left="sqrt(x^2)", right="x", domain="positive")
    assert (alone["verdict"]["relation"], alone["verdict"]["positive"]) == ("EQUAL", None)
    assert alone["verdict"]["words"] == "equal for positive x"
    assert alone["plot"]["points"][0] > 0


def test_hits_say_for_which_numbers_they_are_equal(client) -> None:
    hits = ask(client, "search", expression="x", k=20)["hits"]
    words = {hit["formula"]["infix"]: hit["verdict"]["words"] for hit in hits}
    assert words["sqrt(x**2)"] == "equal for positive x"
    assert "EQUAL" not in [hit["verdict"]["relation"] for hit in hits]


def test_a_check_without_variables_has_no_plot(client) -> None:
    answer = ask(client, "check", left="2 + 2", right="5")
    assert answer["verdict"]["relation"] == "DIFFERENT"
    assert answer["plot"] is None


def test_sympy_can_be_asked_too_where_it_is_switched_on(folder, client) -> None:
    body = {"left": "sin(x)^2 + cos(x)^2", "right": "1", "judge": "sympy"}
    refused = client.post("/v1/check", json=body)
    assert refused.status_code == 422
    assert refused.json()["field"] == "judge"
    assert "--sympy" in refused.json()["detail"]
    with TestClient(create_app(load(folder), ServiceConfig(**PATIENCE, sympy=True))) as client:
        verdict = ask(client, "check", **body)["verdict"]
    assert (verdict["relation"], verdict["words"]) == ("EQUAL", "equal over the reals")
    assert verdict["evidence"] == "SymPy simplifies the difference to 0"


def test_an_analogy_leaves_out_what_it_was_given(client) -> None:
    answer = ask(client, "analogy", x1="cos(x)", y1="sin(x)", y2="csc(x)", k=2)
    assert [each["infix"] for each in answer["given"]] == ["cos(x)", "sin(x)", "csc(x)"]
    assert infix(answer["hits"])[0] == "sec(x)"
    assert len(answer["hits"]) == 2


def test_the_map_shows_the_index_and_finds_a_formula_where_it_lies(client) -> None:
    drawn = client.get("/v1/map").json()
    assert sorted(drawn["expressions"]) == sorted(FORMULAS)
    found = ask(client, "map", expression="sin(x)", k=3)
    place = drawn["expressions"].index("sin(x)")
    assert found["query"]["x"] == pytest.approx(drawn["x"][place], abs=0.02)
    assert found["query"]["y"] == pytest.approx(drawn["y"][place], abs=0.02)
    assert len(found["neighbours"]) == 3


def test_a_mistake_is_shown_with_a_caret(client) -> None:
    answer = client.post("/v1/search", json={"expression": "sin("})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:equivec:problem:not-an-expression",
        "title": "Not an expression",
        "status": 422,
        "detail": "column 4: '(' is never closed",
        "field": "expression",
        "column": 3,
        "caret": "column 4: '(' is never closed\n  sin(\n     ^",
    }


@pytest.mark.parametrize(
    ("path", "body", "field", "detail"),
    [
        ("search", {"expression": "x", "k": 101}, "k", "k may be 100 at most here, not 101"),
        (
            "equivalents",
            {"expression": "x", "beam": 51},
            "beam",
            "beam may be 50 at most here, not 51",
        ),
        (
            "equivalents",
            {"expression": "x", "k": 51},
            "k",
            "k may be 50 at most here, not 51",
        ),
        (
            "embed",
            {"expressions": ["x"] * 257},
            "expressions",
            "expressions may be 256 at most here, not 257",
        ),
        (
            "embed",
            {"expressions": ["x", "coss(x)"]},
            "expressions.1",
            "column 1: 'coss' is not a symbol of this grammar; did you mean 'cos'?",
        ),
        (
            "search",
            {"expression": "x", "filter": {"contains": ["sine"]}},
            "filter",
            "'sine' is not a symbol of expressions; did you mean 'sin'?",
        ),
        (
            "parse",
            {"expression": "x" * 2001},
            "expression",
            "the text has 2,001 characters; at most 2,000 are read",
        ),
        (
            "check",
            {"left": "x", "right": "x" + " + 1" * 200},
            "right",
            "the expression has 401 nodes; at most 300 are read",
        ),
        ("search", {"expression": 5}, "expression", "expression: Input should be a valid string"),
        ("search", {}, "expression", "expression: Field required"),
        (
            "search",
            {"expression": "x", "kk": 3},
            "kk",
            "kk: Extra inputs are not permitted",
        ),
    ],
)
def test_what_is_out_of_range_is_refused_with_a_sentence(client, path, body, field, detail) -> None:
    answer = client.post(f"/v1/{path}", json=body)
    problem = answer.json()
    assert (answer.status_code, problem["field"], problem["detail"]) == (422, field, detail)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/nothing", 404), ("GET", "/v1/search", 405), ("GET", "/page/../app.py", 404)],
)
def test_other_paths_are_problems_too(client, method, path, status) -> None:
    answer = client.request(method, path)
    assert answer.status_code == answer.json()["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_that_is_no_json_is_refused(client) -> None:
    answer = client.post("/v1/search", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == answer.json()["status"] == 400
    assert answer.json()["detail"].startswith("the body is not JSON: ")
    body = b'{"expression": "x"}'
    answer = client.post("/v1/search", content=body, headers={"content-type": "text/plain"})
    assert answer.status_code == answer.json()["status"] == 415
    assert "Content-Type: application/json" in answer.json()["detail"]


def test_probes_and_metrics(client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = client.get("/readyz").json()
    assert (ready["status"], ready["model"]) == ("ready", "fake")
    assert (ready["expressions"], ready["judges"]) == (len(FORMULAS), ["numeric"])
    ask(client, "search", expression="x")
    client.get("/some/other/path")
    text = client.get("/metrics").text
    assert 'equivec_requests_total{path="/v1/search",status="200"}' in text
    assert 'equivec_requests_total{path="other",status="404"}' in text
    assert "equivec_encoder_batch_count" in text


def _has_example(facts: dict) -> bool:
    """Whether a field has an example, or is made of schemas that have their own."""
    refers = [facts, facts.get("items", {}), *facts.get("anyOf", ())]
    return bool(facts.get("examples")) or any("$ref" in each for each in refers)


def test_openapi_has_an_example_for_every_request_and_answer(client) -> None:
    spec = client.get("/openapi.json").json()
    paths = [path for path, methods in spec["paths"].items() if "post" in methods]
    assert sorted(paths) == [
        f"/v1/{name}"
        for name in ("analogy", "check", "embed", "equivalents", "map", "parse", "search")
    ]
    for name, schema in spec["components"]["schemas"].items():
        if "enum" not in schema and name != "Problem":
            for field in schema.get("required", ()):
                facts = schema["properties"][field]
                assert _has_example(facts), f"{name}.{field}"
    assert "An expression may have 2,000 characters" in spec["info"]["description"]


def test_every_answer_forbids_foreign_scripts(client) -> None:
    for path in ("/", "/healthz", "/nowhere"):
        assert "script-src 'self'" in client.get(path).headers["content-security-policy"]


@pytest.fixture(scope="module")
def keyed(folder):
    config = ServiceConfig(
        api_key="0123456789abcdef", allowed_origins=("https://example.org",), map_points=5
    )
    with TestClient(create_app(load(folder), config)) as client:
        yield client


def test_a_key_is_asked_for_if_there_is_one(keyed) -> None:
    body = {"expression": "x"}
    for headers in ({}, {"X-API-Key": "wrong"}, {"Authorization": "Bearer wrong"}):
        answer = keyed.post("/v1/parse", json=body, headers=headers)
        assert answer.status_code == answer.json()["status"] == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    for headers in (
        {"X-API-Key": "0123456789abcdef"},
        {"Authorization": "Bearer 0123456789abcdef"},
        {"Authorization": "bearer 0123456789abcdef"},
    ):
        assert keyed.post("/v1/parse", json=body, headers=headers).status_code == 200
    assert keyed.get("/metrics").status_code == 401
    assert keyed.get("/healthz").status_code == keyed.get("/").status_code == 200


def test_pages_of_allowed_origins_may_ask(keyed) -> None:
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "X-API-Key",
    }
    good = keyed.options("/v1/parse", headers={"Origin": "https://example.org", **asked})
    assert good.headers["access-control-allow-origin"] == "https://example.org"
    bad = keyed.options("/v1/parse", headers={"Origin": "https://evil.org", **asked})
    assert "access-control-allow-origin" not in bad.headers


def test_one_client_cannot_take_every_place(folder) -> None:
    config = ServiceConfig(unanswered_per_client=3, request_seconds=300)
    body = {"expression": "x"}
    with TestClient(create_app(load(folder), config)) as client, ThreadPoolExecutor(8) as threads:
        with no_equivalents(folder):
            asked = [threads.submit(client.post, "/v1/equivalents", json=body) for _ in range(8)]
            refused = [each.result() for each in islice(as_completed(asked, timeout=60), 5)]
        assert [answer.status_code for answer in refused] == [429] * 5
        assert sorted(each.result().status_code for each in asked) == [200] * 3 + [429] * 5
        assert refused[0].headers["retry-after"] == "1"
        assert refused[0].json()["detail"].startswith("3 of your requests are not answered yet")
        assert client.post("/v1/parse", json={"expression": "x"}).status_code == 200


def test_the_map_is_a_sample_where_the_index_is_large(keyed) -> None:
    headers = {"X-API-Key": "0123456789abcdef"}
    shown = keyed.get("/v1/map", headers=headers).json()["expressions"]
    assert len(shown) == 5
    assert set(shown) <= set(FORMULAS)


def test_what_the_embedder_cannot_do_is_our_failure_and_says_so(folder) -> None:
    class Broken(FakeEmbedder):
        def equivalents(self, *_, **__):
            raise RuntimeError("the model is broken")

    with TestClient(
        create_app(Index.open(folder, Broken())), raise_server_exceptions=False
    ) as client:
        answer = client.post("/v1/equivalents", json={"expression": "x"})
        assert answer.status_code == answer.json()["status"] == 500
        assert "broken" not in answer.text
        assert client.post("/v1/search", json={"expression": "x"}).status_code == 200


class Away:
    """A store that fails when it is told to."""

    def __init__(self, store) -> None:
        self._store = store
        self.error: Exception | None = None

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def view(self):
        if self.error is not None:
            raise self.error
        return self._store.view()


@pytest.mark.parametrize(
    "error",
    [
        FileFormatError("Milvus at http://db:19530 failed: server unavailable"),
        FileFormatError("/var/index/segment-000001.vectors.npy is damaged"),
        BusyError("/var/index is being rewritten again and again; try later"),
    ],
)
def test_an_index_that_is_away_is_no_mistake_of_the_client_and_may_come_back(
    folder, error, caplog
) -> None:
    index = load(folder)
    store = index.store = Away(index.store)
    app = create_app(index, ServiceConfig(**PATIENCE))
    with TestClient(app, raise_server_exceptions=False) as client:
        assert client.get("/readyz").status_code == 200
        store.error = error
        for answer in (
            client.post("/v1/search", json={"expression": "x"}),
            client.post("/v1/analogy", json={"x1": "x", "y1": "x", "y2": "x"}),
            client.get("/readyz"),
        ):
            assert answer.status_code == answer.json()["status"] == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["retry-after"] == "5"
            assert str(error) not in answer.text
        assert str(error) in caplog.text
        assert client.get("/healthz").status_code == 200
        assert client.post("/v1/parse", json={"expression": "x"}).status_code == 200
        wrong = client.post("/v1/search", json={"expression": "sin("})
        assert wrong.status_code == 422
        store.error = None
        assert client.post("/v1/search", json={"expression": "x"}).status_code == 200
        assert client.get("/readyz").status_code == 200


def test_a_service_that_cannot_tell_in_time_whether_it_is_ready_is_not(folder) -> None:
    index = load(folder)
    gate = threading.Event()

    class Slow(Away):
        def view(self):
            if self.error is not None:
                assert gate.wait(60)
            return self._store.view()

    store = index.store = Slow(index.store)
    config = ServiceConfig(**{**PATIENCE, "ready_seconds": 0.01})
    with TestClient(create_app(index, config)) as client:
        store.error = FileFormatError("it hangs")
        for _ in range(3):
            answer = client.get("/readyz")
            assert (answer.status_code, answer.json()["title"]) == (503, "Not ready")
            assert answer.headers["retry-after"] == "5"
        gate.set()
