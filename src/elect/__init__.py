"""Exact and learned voting rules: rankings go in, a winner comes out.

Example:
    >>> import elect
    >>> profile = elect.Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]])
    >>> elect.winners("borda", profile).tolist()
    [[False, True, False]]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elect import datasets, limits
    from elect.auditing import Audit, audit
    from elect.checkpoints import load
    from elect.comparison import Comparison, compare
    from elect.cultures import CULTURES, culture, sample
    from elect.deadlines import time_limit
    from elect.designing import Design, design
    from elect.elections import Elections, Profiles
    from elect.errors import ElectError
    from elect.experiments import Reproduction, reproduce
    from elect.files import read, write
    from elect.measuring.evaluation import evaluate
    from elect.measuring.result import Evaluation
    from elect.measuring.simulated import Simulation
    from elect.measuring.simulation import simulate
    from elect.objectives import expected_welfare, mimic, oracle, posterior
    from elect.resolve import as_pref_voting, decide, rule, why, winners
    from elect.rules import RULES
    from elect.rules.base import Decision, Rule
    from elect.rules.ceiling import Ceiling, ceiling
    from elect.rules.kemeny import KemenyResult, kemeny_ranking
    from elect.rules.optimal import optimal_scoring, optimal_scoring_rule
    from elect.rules.posterior import posterior_rule
    from elect.training import Recipe, train
    from elect.welfares import WELFARES, judge, welfare

    __version__: str

__all__ = [
    "CULTURES",
    "RULES",
    "WELFARES",
    "Audit",
    "Ceiling",
    "Comparison",
    "Decision",
    "Design",
    "ElectError",
    "Elections",
    "Evaluation",
    "KemenyResult",
    "Profiles",
    "Recipe",
    "Reproduction",
    "Rule",
    "Simulation",
    "__version__",
    "as_pref_voting",
    "audit",
    "ceiling",
    "compare",
    "culture",
    "datasets",
    "decide",
    "design",
    "evaluate",
    "expected_welfare",
    "judge",
    "kemeny_ranking",
    "limits",
    "load",
    "mimic",
    "optimal_scoring",
    "optimal_scoring_rule",
    "oracle",
    "posterior",
    "posterior_rule",
    "read",
    "reproduce",
    "rule",
    "sample",
    "simulate",
    "time_limit",
    "train",
    "welfare",
    "why",
    "winners",
    "write",
]

# The module of each public name. A module is imported when one of its names is first used, so
# that `import elect` and `elect --help` do not wait for torch.
_HOMES = {
    "elect.auditing": ("Audit", "audit"),
    "elect.checkpoints": ("load",),
    "elect.comparison": ("Comparison", "compare"),
    "elect.cultures": ("CULTURES", "culture", "sample"),
    "elect.deadlines": ("time_limit",),
    "elect.designing": ("Design", "design"),
    "elect.elections": ("Elections", "Profiles"),
    "elect.errors": ("ElectError",),
    "elect.experiments": ("Reproduction", "reproduce"),
    "elect.measuring.evaluation": ("evaluate",),
    "elect.measuring.result": ("Evaluation",),
    "elect.measuring.simulated": ("Simulation",),
    "elect.measuring.simulation": ("simulate",),
    "elect.files": ("read", "write"),
    "elect.objectives": ("expected_welfare", "mimic", "oracle", "posterior"),
    "elect.resolve": ("as_pref_voting", "decide", "rule", "why", "winners"),
    "elect.rules": ("RULES",),
    "elect.rules.base": ("Decision", "Rule"),
    "elect.rules.ceiling": ("Ceiling", "ceiling"),
    "elect.rules.kemeny": ("KemenyResult", "kemeny_ranking"),
    "elect.rules.optimal": ("optimal_scoring", "optimal_scoring_rule"),
    "elect.rules.posterior": ("posterior_rule",),
    "elect.training": ("Recipe", "train"),
    "elect.welfares": ("WELFARES", "judge", "welfare"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("elect")
    elif name in ("datasets", "limits"):
        value = import_module(f"elect.{name}")
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'elect' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
