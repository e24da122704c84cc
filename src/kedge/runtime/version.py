"""Resource versions: which of two is older, where they are numbers."""


def is_older(version: str, than: str) -> bool:
    """Tell whether a version is known to be older; of what is no number nothing is known."""
    if not (version.isdecimal() and than.isdecimal()):
        return False
    return (len(version), version) < (len(than), than)
