"""The public surface, what imports what, and what is not imported before it is needed."""

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import elect

SOURCE = Path(elect.__file__).parent

# Imports point only up this list: a part may use those before it.
LAYERS = [
    "errors",
    "deadlines",
    "storage",
    "typed_json",
    "specs",
    "limits",
    "words",
    "result_tables",
    "kernels",
    "checking",
    "ballot_lists",
    "pref_voting_profiles",
    "elections",
    "files",
    "datasets",
    "cultures",
    "welfares",
    "rules",
    "objective_kinds",
    "networks",
    "learned",
    "checkpoints",
    "resolve",
    "comparison",
    "objectives",
    "measuring",
    "training",
    "reports",
    "auditing",
    "designing",
    "experiments",
    "service",
    "cli",
    "__main__",
]

HEAVY = {"torch", "numpy", "numba", "scipy", "pandas", "matplotlib", "jaxtyping", "prefsampling"}
HEAVY |= {"lightning_fabric", "pytorch_optimizer", "safetensors", "fastapi", "uvicorn"}

PUBLIC = {
    *("Profiles", "Elections", "ElectError", "__version__"),
    *("Rule", "Decision", "Comparison", "decide", "compare", "simulate", "Simulation"),
    *("RULES", "rule", "winners", "time_limit", "why", "kemeny_ranking", "KemenyResult"),
    *("CULTURES", "culture", "sample", "WELFARES", "welfare", "judge"),
    *("Ceiling", "ceiling", "optimal_scoring", "optimal_scoring_rule", "posterior_rule"),
    *("read", "write", "datasets", "limits"),
    *("mimic", "oracle", "posterior", "expected_welfare", "Recipe", "train"),
    *("load", "as_pref_voting", "evaluate", "Evaluation"),
    *("audit", "Audit", "design", "Design", "reproduce", "Reproduction"),
}


def test_the_public_names():
    assert set(elect.__all__) == set(dir(elect)) == PUBLIC
    assert all(getattr(elect, name) is not None for name in PUBLIC)
    assert elect.__version__ == version("elect")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = elect.nonsense


def test_names_lead_home():
    from elect.elections import Profiles
    from elect.resolve import winners

    assert elect.Profiles is Profiles
    assert elect.winners is winners
    assert elect.datasets is sys.modules["elect.datasets"]


def test_no_module_hides_a_function():
    _in_a_new_process(
        "import elect.rules.ceiling, elect.welfares, elect\n"
        "assert elect.welfare('nash') is elect.WELFARES['nash']\n"
        "from elect import *\n"
        "assert welfare('nash') is WELFARES['nash']\n"
    )


def test_nothing_heavy_is_imported_before_it_is_needed():
    _in_a_new_process(
        "import sys, elect, elect.cli\n"
        "try:\n    elect.cli.main(['winner', '--help'])\n"
        "except SystemExit as stop:\n    assert stop.code == 0\n"
        f"assert not {HEAVY} & set(sys.modules), {HEAVY} & set(sys.modules)\n"
    )


def test_every_part_has_a_layer():
    parts = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    parts |= {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert parts == set(LAYERS)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=str)
def test_imports_point_one_way(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for part in _imported_parts(path):
        assert part == own or LAYERS.index(part) < LAYERS.index(own), f"{own} imports {part}"


def test_types_and_ballots_are_packaged():
    assert (SOURCE / "py.typed").is_file()
    profile = elect.read(SOURCE / "data" / "demo.csv")
    assert profile.num_voters.item() == 75
    assert profile.num_candidates.item() == 5
    assert bool(profile.complete)


def _imported_parts(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            if node.module == "elect":
                modules |= {f"elect.{alias.name}" for alias in node.names}
            else:
                modules.add(node.module or "")
    return {name.split(".")[1] for name in modules if name.startswith("elect.")}


def _in_a_new_process(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
