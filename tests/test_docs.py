"""The documentation says what is true: its examples run, every rule and network has a place."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

import elect
from elect.networks import NETWORKS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
PAGES = {str(path.relative_to(DOCS)): path.read_text("utf-8") for path in DOCS.rglob("*.md")}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(text: str, language: str) -> list[str]:
    return [code for name, code in FENCED.findall(text) if name == language]


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "```pycon" in text])
def test_examples_print_what_the_page_says(page: str) -> None:
    # An empty line ends what an example prints; a fence would not.
    session = "\n".join(_blocks(PAGES[page], "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "```python" in text])
def test_examples_that_take_too_long_use_names_that_exist(page: str) -> None:
    for code in _blocks(PAGES[page], "python"):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = importlib.import_module(node.module)
                assert all(hasattr(module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "elect" or hasattr(elect, node.attr), node.attr


def test_every_rule_has_a_definition_and_an_example() -> None:
    pages = "".join(text for name, text in PAGES.items() if name.startswith("rules/"))
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", pages, re.MULTILINE | re.DOTALL))
    assert elect.RULES.keys() <= parts.keys()
    for name in elect.RULES:
        assert parts[name].lstrip().startswith("**"), f"{name} has no definition"
        assert f'("{name}' in "".join(_blocks(parts[name], "pycon")), f"{name} has no example"
        assert name in PAGES["rules.md"]


def test_every_network_has_a_page() -> None:
    for name in NETWORKS:
        page = f"networks/{name.replace('_', '-')}.md"
        assert page in PAGES
        assert f"({page}" in PAGES["networks.md"]


@pytest.mark.parametrize("text", [PAGES["index.md"], README], ids=["index", "README"])
def test_the_worked_example_prints_what_it_says(text: str, run, ballots, monkeypatch) -> None:
    monkeypatch.chdir(ballots(_blocks(text, "csv")[0], "ballots.csv").parent)
    example = next(code for code in _blocks(text, "console") if code.startswith("$ elect winner"))
    command, promised = example.split("\n", 1)
    code, printed, _ = run(*command.split()[2:])
    assert code == 0
    assert [line.rstrip() for line in printed.splitlines()] == promised.splitlines()


def test_the_commands_of_the_first_page_are_those_of_the_readme() -> None:
    assert _blocks(PAGES["index.md"], "sh") == _blocks(README, "sh")
