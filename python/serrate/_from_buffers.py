"""Layouts of forms and buffers."""

import copy

from serrate._kinds import LAYOUTS
from serrate.index import Index


class FormNode:
    """One node of a form as nested dicts, and the buffers by form key and name."""

    def __init__(self, form, container):
        self.form = form
        self._container = container

    def __getitem__(self, name):
        return self.form[name]

    @property
    def parameters(self):
        return copy.deepcopy(self.form["parameters"]) or None

    def data(self, name):
        """A buffer of its own."""
        return self._container[f"{self.form['form_key']}-{name}"]

    def index(self, name):
        """The same, of integers."""
        return Index(self.data(name))

    def content(self, length):
        """The layout below, of so many items; None, where it knows."""
        return built(self.form["content"], length, self._container)

    def contents(self, length):
        """All layouts below."""
        return [built(x, length, self._container) for x in self.form["contents"]]


def built(form, length, container):
    """The layout of a form as nested dicts, over typed buffers by form key and name."""
    return LAYOUTS[form["class"]].built(FormNode(form, container), length)
