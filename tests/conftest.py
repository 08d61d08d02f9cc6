"""Shared by all tests: what is drawn at random is drawn the same way in every run."""

from __future__ import annotations

import gc
import random
import secrets
from collections.abc import Iterator

import tests.same_arithmetic  # isort: skip # noqa: F401 - before numpy is imported
import numpy.random  # noqa: F401 - it keeps the source of bits that it finds when it is imported: not the one below
import pytest
from hypothesis import HealthCheck, settings

from tests.speeds import ALL, shared_out, some

settings.register_profile(
    "reproducible",
    max_examples=some(100, of=3),
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("reproducible")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties run in both halves: with a third of their examples, and again with all of them."""
    for item in items:
        if ALL and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.slow)
    shared_out(items)


def pytest_collection_finish() -> None:
    """What was imported stays: looking through it again and again took a sixth of the time of all tests."""
    gc.collect()
    gc.freeze()


def _same_bits(node: pytest.Item | pytest.Collector) -> Iterator[None]:
    """Exact noise takes its bits from the machine; here they depend on the name of the test (or file) alone.

    Otherwise a test that looks at one release would fail for an unlucky draw. That the law is the stated one, and
    that a release asks the machine for its bits, are tests of their own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "randbits", random.Random(node.nodeid).getrandbits)
        yield


@pytest.fixture(scope="module", autouse=True)
def same_bits_for_the_file(request: pytest.FixtureRequest) -> Iterator[None]:
    yield from _same_bits(request.node)


@pytest.fixture(autouse=True)
def same_bits_for_the_test(same_bits_for_the_file: None, request: pytest.FixtureRequest) -> Iterator[None]:
    yield from _same_bits(request.node)
