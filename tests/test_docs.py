"""The documentation is correct: its examples run, and every rule and network has a place."""

import ast
import doctest
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import elect
import elect.cli
from elect.auditing import AXIOMS
from elect.cli.spreading import Spreading, spread
from elect.networks import NETWORKS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
PAGES = {str(path.relative_to(DOCS)): path.read_text("utf-8") for path in DOCS.rglob("*.md")}
TEXTS = {"README.md": README, **PAGES}
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


def _commands(text: str) -> Iterator[str]:
    """Commands of elect on lines with a prompt, such as ``$ OMP_NUM_THREADS=1 elect train … &``."""
    for block in _blocks(text, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.match(r"\$ (?:\w+=\S+ )*(?:torchrun .*-m )?(elect .*)", line)
            if found:
                yield found[1].removesuffix("&")


def _mentioned(text: str) -> list[str]:
    """Commands within sentences, such as `elect rules`; what they require may be left out."""
    found = re.findall(r"`(elect [a-z][^`]*)`", FENCED.sub("", text))
    return [" ".join(line.split()) for line in found]


def _parsed(line: str, complete: bool = True) -> dict[str, Any]:
    """The options of a command; raises if there is no such command or option."""
    words = shlex.split(line, comments=True)[1:]
    command: Any = typer.main.get_command(elect.cli.app)
    context = command.context_class(command, info_name="elect")
    while words and hasattr(command, "commands"):
        name = words.pop(0)
        assert name in command.commands, f"{line}: no command {name!r}"
        command = command.commands[name]
        context = command.context_class(command, parent=context, info_name=name)
    if isinstance(command, Spreading):
        words = spread(words, command.several)
    options, rest, _ = command.make_parser(context).parse_args(words)
    assert not rest, f"{line}: too many arguments"
    missing = [
        param.name for param in command.params if param.required and not options.get(param.name)
    ]
    assert not (complete and missing), f"{line}: lacks {missing}"
    return options


COMMANDS = [
    pytest.param(line, id=f"{page}: {line}")
    for page, text in TEXTS.items()
    for line in _commands(text)
]
# Folders that printed commands write.
FOLDERS = set(re.findall(r"--out ([\w-]+)", "".join(TEXTS.values())))


@pytest.mark.parametrize("line", COMMANDS)
def test_printed_commands_have_known_options_and_names(line: str) -> None:
    options = _parsed(line)

    def values(option: str) -> list[str]:
        given = options.get(option) or []
        return [given] if isinstance(given, str) else list(given)

    for name in values("culture"):
        elect.culture(name)
    for name in values("welfare"):
        assert ".py" in name or elect.welfare(name)
    for name in values("axiom"):
        assert name in AXIOMS
    for name in values("network"):
        assert name.replace("-", "_") in NETWORKS
    for name in [*values("rule"), *values("place")]:
        assert name.split("/")[0].split("=")[-1] in FOLDERS or ".py" in name or elect.rule(name)


@pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if _mentioned(text)])
def test_mentioned_commands_have_known_options(page: str) -> None:
    for line in _mentioned(TEXTS[page]):
        # `elect design --data` names an option without its value.
        words = line.split()
        _parsed(f"{line} …" if words[-1].startswith("--") else line, complete=False)


def test_unknown_options_and_commands_are_noticed() -> None:
    for line in (
        "elect winner ballots.csv --rules borda",
        "elect train --rule borda --epochs 3 --out x",
    ):
        with pytest.raises(Exception, match="No such option"):
            _parsed(line)
    for line in ("elect victor ballots.csv", "elect train --rule borda", "elect rules borda"):
        with pytest.raises(AssertionError):
            _parsed(line)
