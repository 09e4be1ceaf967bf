"""Tables as files: CSV in several dialects, gzip, and Parquet and Arrow where pyarrow is at hand."""

import csv
from datetime import date, datetime
import gzip
import io

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    pyarrow = None

PLAIN = {"delimiter": ",", "quotes": "minimal", "line": "\n", "bom": False, "input": ".csv", "output": ".csv",
         "named": False, "header": False, "typed": False}


def text(names, rows, dialect):
    """A table as CSV."""
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if dialect["quotes"] == "all" else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=dialect["delimiter"], quoting=quoting, lineterminator=dialect["line"])
    writer.writerow(names)
    writer.writerows(rows)
    return ("\ufeff" if dialect["bom"] else "") + out.getvalue()


def is_columnar(path):
    return path.endswith((".parquet", ".arrow"))


def packed(path, data):
    """Bytes in the compression that a name says."""
    if path.endswith(".zst"):
        return pyarrow.compress(data, codec="zstd", asbytes=True)
    return gzip.compress(data) if path.endswith(".gz") else data


def array(texts, empties, kind):
    """A column of a columnar file: of the type that belongs to a kind, or of texts. An empty text is NULL; where `empties` says
    so it is an empty text, or NaN."""
    made = {"integer": (pyarrow.int64, int), "decimal": (pyarrow.float64, float), "date": (pyarrow.date32, date.fromisoformat),
            "boolean": (pyarrow.bool_, lambda text: text == "true"),
            "timestamp": (lambda: pyarrow.timestamp("us"), datetime.fromisoformat)}.get(kind)
    if made is None:
        values = [text if text != "" or empty else None for text, empty in zip(texts, empties)]
        return pyarrow.array(values, pyarrow.string())
    if kind == "integer" and any(text and not -2**63 <= int(text) < 2**63 for text in texts):
        return array(texts, empties, None)
    instead = float("nan") if kind == "decimal" else None
    values = [made[1](text) if text != "" else instead if empty else None for text, empty in zip(texts, empties)]
    return pyarrow.array(values, made[0]())


def write(path, names, rows, dialect, empty=lambda name, row: False, kinds={}):
    """Writes a table in the format that its name says; a columnar file with the types of `kinds`."""
    if is_columnar(path):
        columns = [array([row[at] for row in rows], [empty(name, row) for row in rows], kinds.get(name))
                   for at, name in enumerate(names)]
        table = pyarrow.Table.from_arrays(columns, names=list(names))
        if path.endswith(".parquet"):
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, path, compression="uncompressed")
        return
    data = text(names, rows, dialect).encode("utf-8")
    with open(path, "wb") as out:
        out.write(packed(path, data))


def read(path, delimiter):
    """(names, rows) of a table, as texts; NULL is the empty text."""
    if is_columnar(path):
        table = columnar(path)
        rows = zip(*([text_of(value) for value in column.to_pylist()] for column in table.columns))
        return table.column_names, [list(row) for row in rows]
    records = list(csv.reader(io.StringIO(raw_bytes(path).decode("utf-8-sig"), newline=""), delimiter=delimiter))
    return records[0], records[1:]


def columnar(path):
    return (pyarrow.parquet.read_table if path.endswith(".parquet") else pyarrow.feather.read_table)(path)


def text_of(value):
    """A typed value as klimt would write it into a text file."""
    if value is None or value != value:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def raw_bytes(path):
    """The bytes of a file, unpacked: what somebody who searches it can see."""
    with open(path, "rb") as source:
        data = source.read()
    if path.endswith(".zst"):
        return pyarrow.input_stream(io.BytesIO(data), compression="zstd").read()
    return gzip.decompress(data) if path.endswith(".gz") else data
