"""`armdyn demo`: all steps from description to identified C code, on a bundled arm."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.text import Text

from armdyn.cli.console import JsonOption, complain, print_json, progress_bar, show
from armdyn.cli.demo_page import Chapter
from armdyn.cli.demo_story import run_demo
from armdyn.cli.option_names import out_folder


def demo(
    out: Path = out_folder(Path("demo")),
    as_json: JsonOption = False,
) -> None:
    """Run the end-to-end demo on a PUMA 560; exit status 1 if a step fails.

    Robot description, base parameters, excitation trajectory, simulated noisy log, identification,
    validation on another motion, C code with its self-test, and a report. It takes about a minute.
    """
    number = 0

    def told(chapter: Chapter) -> None:
        nonlocal number
        number += 1
        if not as_json:
            _show(number, chapter)

    with progress_bar(as_json=as_json) as progress:
        story = run_demo(out, progress, told)
    if as_json:
        print_json(
            {
                "passed": story.passed,
                "page": str(story.page),
                "steps": [
                    {
                        "title": chapter.title,
                        "passed": chapter.passed,
                        "seconds": chapter.seconds,
                        "rows": chapter.grid.rows,
                        "files": [str(out / name) for name in chapter.files],
                    }
                    for chapter in story.chapters
                ],
            }
        )
    else:
        seconds = sum(chapter.seconds for chapter in story.chapters)
        show(f"{len(story.chapters)} steps in {seconds:.0f} s. Look at: {story.page}")
    if not story.passed:
        failed = [chapter.title for chapter in story.chapters if not chapter.passed]
        complain(f"failed: {'; '.join(failed)}.")
        raise typer.Exit(1)


def _show(number: int, chapter: Chapter) -> None:
    mark = Text("passed", "green") if chapter.passed else Text("FAILED", "bold red")
    show(
        Text.assemble((f"{number}. {chapter.title}: ", "bold"), mark, f" ({chapter.seconds:.1f} s)")
    )
    show(chapter.grid, "")
