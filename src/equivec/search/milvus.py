"""The same store on a Milvus server, for more expressions than one machine holds.

`milvus://host:19530/collection` is a server (a token for it is read from MILVUS_TOKEN);
`milvus:///path/file.db` is Milvus Lite in a file. What was acknowledged is as safe as the server
makes it. Milvus needs no lock of ours: an expression has the hash of its text as its id, so that
two writers who add it store it once.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from equivec.errors import ConfigError, FileFormatError
from equivec.expression.prefix import parse_prefix
from equivec.search.entries import FINGERPRINT_VERSION, check_fingerprints
from equivec.search.filters import symbols_of
from equivec.search.segments import unpack
from equivec.search.store import MOST_MATCHES, Found, IndexInfo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.search.entries import Entries
    from equivec.search.filters import Filter
    from equivec.search.segments import Segment

_COLLECTION = "equivec"
_LONGEST_TEXT = 65_535
# Rows in one request; a message of Milvus may have 64 MB.
_ROWS = 1_000
# Properties of a collection that say what its vectors are.
_ENCODER, _WIDTH = "equivec.encoder", "equivec.width"
_FINGERPRINTS = "equivec.fingerprints"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a collection is."""

    uri: str
    collection: str

    @classmethod
    def of(cls, url: str) -> Address:
        """The address that a URL spells.

        >>> Address.of("milvus://db.example:19530/formulas")
        Address(uri='http://db.example:19530', collection='formulas')
        >>> Address.of("milvus:///var/lib/formulas.db").uri
        '/var/lib/formulas.db'
        """
        parts = urlsplit(url)
        if not parts.netloc:
            if not parts.path.endswith(".db"):
                raise ConfigError(
                    f"{url} names no server and no file; write milvus://host:19530/collection "
                    "or milvus:///path/file.db"
                )
            return cls(parts.path, _COLLECTION)
        return cls(f"http://{parts.netloc}", parts.path.strip("/") or _COLLECTION)


class MilvusStore:
    """A collection of expressions; it is its own view, since Milvus answers for what it has."""

    def __init__(self, url: str, client: Any, collection: str) -> None:
        self.url = url
        self._client = client
        self._collection = collection
        facts = client.describe_collection(collection)["properties"]
        if not {_ENCODER, _WIDTH} <= facts.keys():
            raise FileFormatError(f"{url}: the collection {collection!r} is not an index of ours")
        check_fingerprints(url, int(facts.get(_FINGERPRINTS, 1)))
        self._encoder, self._width = facts[_ENCODER], int(facts[_WIDTH])

    @classmethod
    def create(cls, url: str, encoder: str, width: int, *, resume: bool = False) -> MilvusStore:
        """A new collection, or one that is there already if its build is to go on."""
        address = Address.of(url)
        client = _connect(address)
        if not client.has_collection(address.collection):
            _create_collection(client, address.collection, encoder, width)
        elif not resume:
            raise FileFormatError(
                f"{url} already has the collection {address.collection!r}; add to it with: "
                "equivec index add, or continue its build with --resume"
            )
        return cls(url, client, address.collection)

    @classmethod
    def open(cls, url: str) -> MilvusStore:
        """A collection that is there."""
        address = Address.of(url)
        client = _connect(address)
        if not client.has_collection(address.collection):
            raise FileFormatError(f"{url} has no collection {address.collection!r}")
        client.load_collection(address.collection)
        return cls(url, client, address.collection)

    def view(self) -> MilvusStore:
        """The store itself."""
        return self

    def refresh(self) -> None:
        """Nothing to do: the server is asked each time."""

    def info(self) -> IndexInfo:
        """What there is to tell."""
        counted = self._client.query(
            self._collection, filter="", output_fields=["count(*)"], consistency_level="Strong"
        )
        return IndexInfo(
            where=self.url,
            expressions=int(counted[0]["count(*)"]),
            encoder=self._encoder,
            width=self._width,
            precision="float32",
            neighbours="neighbours: as the Milvus server is set up",
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Nothing to do: a row is written whole, and the same expression under the same id."""
        yield

    def has(self, entries: Entries) -> list[bool]:
        """Whether each entry is stored already."""
        there: set[str] = set()
        for ids in _pieces([_id(text) for text in entries.texts]):
            rows = self._client.get(self._collection, ids=ids, output_fields=["id"])
            there.update(row["id"] for row in rows)
        return [_id(text) in there for text in entries.texts]

    def append(self, entries: Entries, vectors: NDArray[np.float32]) -> None:
        """Store entries; on return the server has acknowledged them."""
        rows = [_row(entries, row, vector) for row, vector in enumerate(vectors)]
        for some in _pieces(rows):
            self._client.upsert(self._collection, some)

    def adopt(self, segments: Sequence[Segment]) -> None:
        """Store the rows of segments that were made elsewhere, each expression once."""
        for segment in segments:
            self.append(segment.entries, unpack(segment.vectors))

    def remove(self, entries: Entries) -> int:
        """Take entries out; how many were there comes back."""
        is_there = self.has(entries)
        ids = [_id(text) for text, here in zip(entries.texts, is_there, strict=True) if here]
        for some in _pieces(ids):
            self._client.delete(self._collection, ids=some)
        return len(ids)

    def settle(self) -> None:
        """Nothing to do: the server keeps itself in order."""

    def finish(self) -> None:
        """See that what was written is on the server's disk."""
        self._client.flush(self._collection)

    def matching(
        self,
        keys: NDArray[np.uint64],
        vector: NDArray[np.float32],
        filter: Filter,  # noqa: A002
    ) -> list[Found]:
        """The expressions that have one of the keys, the highest cosine first."""
        wanted = ", ".join(str(key) for key in sorted(set(keys.view(np.int64).tolist())))
        rows = self._client.query(
            self._collection,
            filter=_all_of(f"key in [{wanted}]", *_conditions(filter)),
            output_fields=["tokens", "key", "vector"],
            limit=MOST_MATCHES,
            consistency_level="Strong",
        )
        found = [
            Found(row["tokens"], row["key"] % 2**64, float(np.dot(row["vector"], vector)))
            for row in rows
        ]
        return sorted(found, key=lambda each: (-each.cosine, each.text))

    def nearest(
        self,
        vectors: NDArray[np.float32],
        k: int,
        filter: Filter,  # noqa: A002
    ) -> list[list[Found]]:
        """For each vector the k expressions with the highest cosine, best first."""
        answers = self._client.search(
            self._collection,
            data=vectors.tolist(),
            anns_field="vector",
            limit=k,
            filter=_all_of(*_conditions(filter)),
            output_fields=["tokens"],
            consistency_level="Strong",
        )
        return [
            [Found(hit["entity"]["tokens"], 0, float(hit["distance"])) for hit in hits]
            for hits in answers
        ]

    def sample(self, count: int) -> tuple[list[str], NDArray[np.float32]]:
        """At most so many of the expressions, as the server gives them, and their vectors."""
        rows = self._client.query(
            self._collection,
            filter="",
            output_fields=["tokens", "vector"],
            limit=count,
            consistency_level="Strong",
        )
        vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
        return [row["tokens"] for row in rows], vectors.reshape(len(rows), self._width)


class _Client:
    """A client of pymilvus whose failures are told in a sentence."""

    def __init__(self, client: Any, uri: str, failure: type[Exception]) -> None:
        self._client = client
        self._uri = uri
        self._failure = failure

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return method(*arguments, **named)
            except self._failure as error:
                what = getattr(error, "message", error)
                raise FileFormatError(f"Milvus at {self._uri} failed: {what}") from error

        return call


def _connect(address: Address) -> Any:
    try:
        from pymilvus import MilvusClient, MilvusException
    except ImportError as error:
        raise ConfigError(
            "milvus:// needs pymilvus; install it with: pip install 'equivec[milvus]'"
        ) from error
    try:
        client = MilvusClient(uri=address.uri, token=os.environ.get("MILVUS_TOKEN", ""), timeout=10)
    except MilvusException as error:
        raise ConfigError(f"no Milvus answers at {address.uri}: {error.message}") from error
    return _Client(client, address.uri, MilvusException)


def _create_collection(client: Any, name: str, encoder: str, width: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False)
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=32)
    schema.add_field("tokens", DataType.VARCHAR, max_length=_LONGEST_TEXT)
    schema.add_field("key", DataType.INT64)
    schema.add_field("operators", DataType.INT32)
    schema.add_field("variables", DataType.INT32)
    schema.add_field(
        "symbols",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=64,
        max_length=16,
    )
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=width)
    indexes = client.prepare_index_params()
    indexes.add_index("vector", index_type="AUTOINDEX", metric_type="COSINE")
    properties = {_ENCODER: encoder, _WIDTH: str(width), _FINGERPRINTS: str(FINGERPRINT_VERSION)}
    client.create_collection(name, schema=schema, index_params=indexes, properties=properties)


def _row(entries: Entries, row: int, vector: NDArray[np.float32]) -> dict[str, Any]:
    text = entries.texts[row]
    return {
        "id": _id(text),
        "tokens": text,
        "key": int(entries.keys[row : row + 1].view(np.int64)[0]),
        "operators": int(entries.traits.operators[row]),
        "variables": int(entries.traits.variables[row]),
        "symbols": sorted(symbols_of(parse_prefix(text))),
        "vector": vector.tolist(),
    }


def _conditions(filter: Filter) -> Iterator[str]:  # noqa: A002
    """A filter in Milvus's language; symbols are names of our own table, nothing a user typed."""
    if filter.contains:
        yield f"array_contains_all(symbols, {json.dumps(sorted(filter.contains))})"
    if filter.excludes:
        yield f"not array_contains_any(symbols, {json.dumps(sorted(filter.excludes))})"
    if filter.min_operators:
        yield f"operators >= {filter.min_operators:d}"
    if filter.max_operators is not None:
        yield f"operators <= {filter.max_operators:d}"
    if filter.variables is not None:
        yield f"variables == {filter.variables:d}"


def _all_of(*conditions: str) -> str:
    return " and ".join(f"({condition})" for condition in conditions)


def _id(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _pieces(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _ROWS):
        yield rows[start : start + _ROWS]
