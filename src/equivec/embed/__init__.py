"""What users hold: an `Embedder` that gives vectors and writes equivalents, without torch."""

from equivec.embed.embedder import Embedder, Equivalent

__all__ = ["Embedder", "Equivalent"]
