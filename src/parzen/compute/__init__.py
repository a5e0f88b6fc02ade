"""Pure functions of arrays, one block of rows at a time: the only code that knows the compiled library."""
