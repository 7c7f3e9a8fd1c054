"""Libraries that are imported when something of them is asked for."""

import importlib


class Library:
    """A library and its modules by name; ModuleNotFoundError says how to install it."""

    def __init__(self, name, package):
        self._name, self._package = name, package

    def __getattr__(self, attribute):
        try:
            library = importlib.import_module(self._name)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"this needs {self._name}: pip install {self._package}", name=self._name
            ) from error
        if not hasattr(library, attribute):
            importlib.import_module(f"{self._name}.{attribute}")
        return getattr(library, attribute)


pyarrow = Library("pyarrow", "pyarrow")
