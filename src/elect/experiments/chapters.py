"""What a reproduction consists of: chapters with tables and pictures, kept as files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elect.experiments.sources import Source
from elect.experiments.tables import Table, origins
from elect.storage import write_whole


@dataclass(frozen=True)
class Picture:
    """A picture, drawn to files.

    Attributes:
        name: of its files, without ending.
        title: what it shows.
        caption: how to read it.
        data: panels, with the figures and the source of each line.
    """

    name: str
    title: str
    caption: str
    data: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    @property
    def sources(self) -> list[Source]:
        """The sources of its lines, each once."""
        lines = [line for panel in self.data.values() for line in panel.values()]
        return list(dict.fromkeys(Source.from_json(line["source"]) for line in lines))

    @property
    def full_caption(self) -> str:
        """The caption, and where the figures come from."""
        return " ".join(filter(None, [self.caption, origins(self.sources)]))


@dataclass(frozen=True)
class Chapter:
    """One table or figure of the paper, or the tables beyond it.

    Attributes:
        name: what the command line calls it.
        title: what it is.
        asked: the question that it answers.
        tables: the tables.
        pictures: the pictures.
        notes: remarks for the reader.
        cost: how many measurements it took, and how many seconds.
    """

    name: str
    title: str
    asked: str
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cost: dict[str, float] = field(default_factory=dict)

    def markdown(self) -> str:
        """The chapter as text; pictures by their file names."""
        parts = [f"# {self.title}", self.asked]
        parts += [f"![{one.title}]({one.name}.png)\n\n{one.full_caption}" for one in self.pictures]
        parts += [table.markdown() for table in self.tables]
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {
            "tables": [table.to_json() for table in self.tables],
            "pictures": [vars(picture) for picture in self.pictures],
        }

    @classmethod
    def from_json(cls, words: Mapping[str, Any]) -> "Chapter":
        """The chapter that `to_json` wrote."""
        known = {key: words[key] for key in ("name", "title", "asked", "notes", "cost")}
        tables = [Table.from_json(table) for table in words["tables"]]
        return cls(**known, tables=tables, pictures=[Picture(**p) for p in words["pictures"]])

    def write(self, folder: Path, about: Mapping[str, Any]) -> list[Path]:
        """Write the chapter as JSON, with facts about the whole reproduction, and as Markdown."""
        words = json.dumps({**about, **self.to_json()}, indent=2) + "\n"
        texts = {f"{self.name}.json": words, f"{self.name}.md": self.markdown()}
        for name, text in texts.items():
            write_whole(folder / name, text)
        return [folder / name for name in texts]
