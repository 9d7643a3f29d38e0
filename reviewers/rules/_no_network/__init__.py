"""What `no_network` reads: command lines, clients, Python code, output lines and addresses."""


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set: how tables of names are written here."""
    return frozenset(text.split())
