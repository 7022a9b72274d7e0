"""Turns: nobody waits for all that another wants, and nobody saves up turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from equivec.serve.fairness import FairQueue, client_at


def queue_of(*clients: str, at_once: int | None = None) -> FairQueue[int]:
    """A queue in which clients wait, in this order, with work that is numbered."""
    queue = FairQueue[int](at_once)
    for number, client in enumerate(clients):
        queue.put(client, number)
    return queue


def order(queue: FairQueue[int], costs: dict[str, float]) -> str:
    """The clients in the order of their turns, one at a time, at so much for each turn."""
    turns = ""
    while (turn := queue.take()) is not None:
        turns += turn[0]
        queue.done(turn[0], costs[turn[0]])
    return turns


def test_clients_take_turns_whoever_came_first() -> None:
    assert order(queue_of(*"aaaaabbbc"), {"a": 1, "b": 1, "c": 1}) == "abcababaa"


def test_what_a_turn_has_cost_counts() -> None:
    assert order(queue_of(*"aaabbbbbb"), {"a": 3, "b": 1}) == "abbbabbba"


def test_who_comes_anew_has_saved_up_nothing() -> None:
    queue = queue_of(*"aaaaaaaa")
    for _ in range(4):
        queue.take()
        queue.done("a", 1)
    for number in range(10, 14):
        queue.put("b", number)
    assert order(queue, {"a": 1, "b": 1}) == "babababa"


def test_who_comes_back_is_not_ahead_of_those_who_waited() -> None:
    queue = queue_of(*"abb")
    assert queue.take() == ("a", 0)
    queue.done("a", 100)
    queue.put("a", 3)
    assert order(queue, {"a": 1, "b": 1}) == "bab"


def test_one_slow_request_does_not_make_the_next_of_its_client_wait_for_many_others() -> None:
    queue, turns = queue_of(*"abcdef"), ""
    for _ in range(30):
        turn = queue.take()
        assert turn is not None
        turns += turn[0]
        queue.done(turn[0], 100 if turns == "a" else 1)
        queue.put(turn[0], len(turns))
    assert turns == "abcdef" * 5


def test_a_client_has_a_first_place_before_another_has_a_second() -> None:
    queue = queue_of(*"aaab")
    assert [queue.take() for _ in range(3)] == [("a", 0), ("b", 3), ("a", 1)]


def test_one_client_has_only_so_much_under_way() -> None:
    queue = queue_of(*"aaa", at_once=2)
    assert [queue.take() for _ in range(3)] == [("a", 0), ("a", 1), None]
    queue.put("b", 9)
    assert queue.take() == ("b", 9)
    queue.done("a", 1)
    assert queue.take() == ("a", 2)


def test_work_that_is_dropped_has_no_turn() -> None:
    queue = queue_of(*"aab")
    queue.drop("a", 0)
    queue.drop("a", 7)
    queue.drop("nobody", 7)
    assert order(queue, {"a": 1, "b": 1}) == "ab"


def test_room_is_made_by_whoever_lets_most_wait() -> None:
    queue = queue_of(*"aaabb")
    assert queue.drop_newest_of_most("a") is None
    assert queue.drop_newest_of_most("b") is None
    assert queue.drop_newest_of_most("c") == 2
    assert len(queue) == 4


def test_a_client_that_is_gone_is_forgotten() -> None:
    queue = FairQueue[int]()
    for number in range(1_000):
        queue.put(f"client {number}", number)
        turn = queue.take()
        assert turn is not None
        queue.done(turn[0], 1.0)
    assert not queue._shares


@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 3))
def test_all_work_has_its_turn_once_and_in_the_order_of_its_client(clients, at_once) -> None:
    queue = queue_of(*clients, at_once=at_once)
    taken = []
    while (turn := queue.take()) is not None:
        taken.append(turn)
        queue.done(turn[0], 0.5)
    assert sorted(number for _, number in taken) == list(range(len(clients)))
    for client in "abc":
        own = [number for each, number in taken if each == client]
        assert own == sorted(own)


def test_the_addresses_of_one_household_are_one_client() -> None:
    assert client_at("2001:db8::1") == client_at("2001:db8::ffff:2")
    assert client_at("2001:db8::1") != client_at("2001:db8:0:1::1")
    assert client_at("192.0.2.1") != client_at("192.0.2.2")
    assert client_at("testclient") == "testclient"
