"""Tables as matrices of numbers, and back: cells, kinds of columns, schemas, sequences of symbols."""
