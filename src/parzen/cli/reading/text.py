"""The characters of a file: its encoding, its line ends, and bytes that are no text."""

from parzen.cli.errors import ArgumentError, CommandError

#: Byte order marks and their encodings; those of UTF-32 begin like those of UTF-16, and are looked for first.
MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def text_of(data: bytes, encoding: str, called: str) -> str:
    """The text of a file, lines ended by a line feed alone; a byte order mark decides about the encoding."""
    encoding = next((found for mark, found in MARKS if data.startswith(mark)), encoding)
    if b"\0" in data and not encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise CommandError(
            f"{called} can't be read as a table: line {line:,} holds a NUL byte, which is no text; if the file is "
            "UTF-16, give --encoding utf-16."
        )
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{called} is not text in {encoding} (byte {error.start}); give its encoding by --encoding, such as "
            "latin-1."
        ) from None
    except LookupError:
        raise ArgumentError(f"there is no encoding {encoding!r}; common ones are utf-8, latin-1, utf-16.") from None
    if "\0" in text:
        raise CommandError(f"{called} can't be read as a table: it holds NUL characters, which are no text.")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff")
