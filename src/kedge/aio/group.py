"""What went wrong in a group of tasks."""


def first_error(error: BaseException) -> BaseException:
    """Give what went wrong first, of all that ended because of it; what is no group is it.

    >>> first_error(ExceptionGroup("tasks", [KeyError("a"), ValueError("b")]))
    KeyError('a')
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
