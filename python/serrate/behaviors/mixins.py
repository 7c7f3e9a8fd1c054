"""Decorators that give records of a name their methods, properties and overloads."""

from serrate._mixins import mixin_class, mixin_class_method

__all__ = ["mixin_class", "mixin_class_method"]
