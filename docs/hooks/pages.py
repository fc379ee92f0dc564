"""Which pages the site has."""

from pathlib import Path


def on_config(config):
    """Leave out pages that are not there: benchmarks are measured, not kept in every clone."""
    folder = Path(config["docs_dir"])
    config["nav"] = [_present(folder, entry) for entry in config["nav"]]
    return config


def _present(folder, entry):
    ((title, pages),) = entry.items()
    if isinstance(pages, str):
        return entry
    return {title: [page for page in pages if (folder / next(iter(page.values()))).exists()]}
