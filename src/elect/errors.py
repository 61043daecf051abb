"""The one kind of error that a user can cause and mend."""


class ElectError(ValueError):
    """Input that cannot be used: one sentence that says what is wrong and what to do."""
