"""The documentation builds without warnings into a complete site that works offline."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import elect

for needed in ("mkdocs", "material", "mkdocstrings"):
    pytest.importorskip(needed)

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    # The theme prints an announcement on every build.
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    found = site.rglob("index.html")
    return {path.parent.relative_to(site).as_posix(): path.read_text("utf-8") for path in found}


def test_every_page_is_there(pages: dict[str, str]) -> None:
    files = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    sources = {path.relative_to(DOCS).with_suffix("").as_posix() for path in files}
    assert pages.keys() == sources - {"index"} | {"."}
    assert all("<h1" in page for page in pages.values())


def test_every_picture_is_there(site: Path, pages: dict[str, str]) -> None:
    pictures = {path.name for path in DOCS.glob("*.png")}
    assert pictures <= {path.name for path in site.glob("*.png")}
    shown = {
        name for page in pages.values() for name in re.findall(r'<img[^>]+src="([^"]+)"', page)
    }
    assert pictures <= {Path(name).name for name in shown}


@pytest.mark.parametrize("name", elect.__all__)
def test_every_public_name_is_there(pages: dict[str, str], name: str) -> None:
    reference = "".join(page for where, page in pages.items() if where.startswith("api/"))
    assert f'id="elect.{name}"' in reference


def test_examples_in_docstrings_are_code(pages: dict[str, str]) -> None:
    prompts = [page for page in pages.values() if "<blockquote>\n<blockquote>" in page]
    assert not prompts


def test_pages_load_nothing_from_elsewhere(pages: dict[str, str]) -> None:
    loaded = re.compile(r'<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]+)"')
    assert not {address for page in pages.values() for address in loaded.findall(page)}
