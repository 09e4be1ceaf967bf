"""Tables as files: CSV in several dialects, gzip, and Parquet and Arrow where pyarrow is at hand."""

import csv
import gzip
import io

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    pyarrow = None

PLAIN = {"delimiter": ",", "quotes": "minimal", "line": "\n", "bom": False, "input": ".csv", "output": ".csv",
         "named": False, "header": False}


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


def write(path, names, rows, dialect, empty=lambda name, row: False):
    """Writes a table in the format that its name says. In a columnar file an empty text is NULL, but where `empty` says not."""
    if is_columnar(path):
        columns = {name: [row[at] if row[at] != "" or empty(name, row) else None for row in rows] for at, name in enumerate(names)}
        table = pyarrow.table(columns, schema=pyarrow.schema([(name, pyarrow.string()) for name in names]))
        if path.endswith(".parquet"):
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, path, compression="uncompressed")
        return
    data = text(names, rows, dialect).encode("utf-8")
    with open(path, "wb") as out:
        out.write(gzip.compress(data) if path.endswith(".gz") else data)


def read(path, delimiter):
    """(names, rows) of a table, as texts; NULL is the empty text."""
    if is_columnar(path):
        table = columnar(path)
        rows = zip(*([text_of(value) for value in column.to_pylist()] for column in table.columns))
        return table.column_names, [list(row) for row in rows]
    with open(path, "rb") as source:
        data = source.read()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    records = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter))
    return records[0], records[1:]


def columnar(path):
    return (pyarrow.parquet.read_table if path.endswith(".parquet") else pyarrow.feather.read_table)(path)


def text_of(value):
    """A typed value as klimt would write it into a text file."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def raw_bytes(path):
    """The bytes of a file, unpacked: what somebody who searches it can see."""
    with open(path, "rb") as source:
        data = source.read()
    return gzip.decompress(data) if path.endswith(".gz") else data
