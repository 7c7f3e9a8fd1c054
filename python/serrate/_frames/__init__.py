"""Tables of other libraries: pandas', cuDF's."""
