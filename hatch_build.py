"""The README as a package index shows it, where nothing lies beside it."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = r"\((?!https?:|#)([^)\s]+)\)"
PICTURE = re.compile(r"!\[([^\]]*)\]" + RELATIVE)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]" + RELATIVE)


class IndexReadme(MetadataHookInterface):
    """Makes the long description of README.md and of `Source` in the project's urls."""

    PLUGIN_NAME = "custom"

    def update(self, metadata):
        """Set the readme among the metadata."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown(text, source)}


def shown(text, source=None):
    """Return a text whose pictures and links work anywhere.

    With the address of a public repository they lead there. Without one there is nothing to lead
    to: pictures are left out with their captions, and links become plain words.
    """
    if source is None:
        kept = [part for part in text.split("\n\n") if not PICTURE.search(part)]
        return LINK.sub(r"\1", "\n\n".join(kept))
    text = PICTURE.sub(rf"![\1]({source}/raw/HEAD/\2)", text)
    return LINK.sub(rf"[\1]({source}/blob/HEAD/\2)", text)
