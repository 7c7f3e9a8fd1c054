"""What helps to write behaviours."""

from serrate import vector
from serrate.behaviors import mixins

__all__ = ["mixins", "vector"]
