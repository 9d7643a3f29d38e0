"""Scanners that the tests share: making one takes longer than a scan."""

import pytest

from reviewers.scan import Declared, Format, Scanner, load_formats

BACKENDS = ("ahocorasick", "hyperscan", "plain")
CANARY = "canary-" + "3f9a7c52-1d4e-4b8a-" + "9c6e-0a1b2c3d4e5f"


def made(backend: str) -> Scanner:
    """A scanner of everything that the package knows, and a canary."""
    if backend == "hyperscan":
        pytest.importorskip("hyperscan")
    return Scanner(backend=backend, declared=[Declared("canary", "planted canary", CANARY)])


@pytest.fixture(scope="session")
def scanner() -> Scanner:
    """The default backend."""
    return made("ahocorasick")


@pytest.fixture(scope="session")
def scanners() -> dict[str, Scanner]:
    """One of each backend."""
    return {backend: made(backend) for backend in BACKENDS}


@pytest.fixture(scope="session")
def formats() -> list[Format]:
    """The formats that come with the package."""
    return load_formats()
