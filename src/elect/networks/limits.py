"""A limit on the size of networks: a damaged description may ask for billions of parameters."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.nn.parameter import is_lazy


class OtherNetwork(Exception):
    """What is built is not the network that was expected."""


@dataclass
class _Left:
    """How many tensors, and numbers in them, may still be registered."""

    tensors: int
    numbers: int


_left: ContextVar[_Left | None] = ContextVar("left", default=None)


@contextmanager
def at_most(tensors: int, numbers: int) -> Iterator[None]:
    """Raise `OtherNetwork` as soon as a network that is built here has more parameters.

    Building stops at the first parameter that is too many, before its memory is used.
    """
    token = _left.set(_Left(tensors, numbers))
    # Torch has one list of hooks for all threads; the limit itself is this thread's alone.
    hook = register_module_parameter_registration_hook(_count)
    try:
        yield
    finally:
        hook.remove()
        _left.reset(token)


def _count(_: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
    left = _left.get()
    if left is None or parameter is None or is_lazy(parameter):
        return
    left.tensors -= 1
    left.numbers -= parameter.numel()
    if min(left.tensors, left.numbers) < 0:
        raise OtherNetwork(name)
