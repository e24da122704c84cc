"""The name of a bucket, as people write it. Pure."""


def bucket_problem(name: str) -> str:
    """Say what is wrong with the name that --bucket gives, and the fix; empty: nothing."""
    bucket, slash, folder = name.partition("/")
    if not slash:
        return ""
    fix = f"--bucket {bucket} --prefix {folder}" if bucket and folder else "a name alone"
    return f"--bucket {name!r} must not contain '/'; write it as {fix}"
