"""Schedules as pure functions of the step."""

from math import cos, pi


def learning_rate(step: int, steps: int | None, peak: float, warmup: int) -> float:
    """Linear warm-up, then half a cosine down to 0 at the last step.

    Until the number of steps is known, only the warm-up applies.

    >>> [round(learning_rate(step, 8, peak=1.0, warmup=4), 3) for step in range(9)]
    [0.25, 0.5, 0.75, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    if step < warmup or steps is None:
        return peak * min(1.0, (step + 1) / warmup)
    return peak * (1 + cos(pi * min(1.0, (step - warmup) / max(1, steps - warmup)))) / 2


def decay(step: int, limit: float) -> float:
    """The decay of the moving average at a step: small at first, so that early weights drop out.

    >>> [round(decay(step, 0.999), 3) for step in (0, 10, 100, 100_000)]
    [0.1, 0.55, 0.918, 0.999]
    """
    return min(limit, (1 + step) / (10 + step))


def steps_that_fit(step: int, left: float, step_seconds: float, validation_seconds: float) -> int:
    """The last step that fits into the seconds left, including validations.

    >>> steps_that_fit(20, left=50.0, step_seconds=0.4, validation_seconds=0.1)
    120
    """
    return step + max(0, int(left / (step_seconds + validation_seconds)))
