"""Tables from files and pipes: content, text, records, cells, and what was decided about each column on the way.

A file is read in steps, one in each file here: its bytes (`content`), its characters (`text`), its records (`records`,
with separators and quotes found by what makes the file consistent), its columns of text (`delimited`), and then each
column's cells as numbers (`numbers`), dates (`dates`) or text (`column`). JSON and Parquet have types (`typed`), as
have the tables of an Excel workbook (`workbook`) or an SQLite database (`database`), one of which is chosen (`choice`).
"""
