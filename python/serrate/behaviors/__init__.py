"""What helps to write behaviours."""

from serrate.behaviors import mixins

__all__ = ["mixins"]
