"""A case: a table, what is said of its columns, and the flags of a job. It can be written as files and as JSON."""

from dataclasses import asdict, dataclass, field
import json
import os
import shlex
import subprocess
import time

from . import formats, spec
from .values import Tree

TIMEOUT = 120


def named(name):
    """A column's name as flags take it: in double quotes where it would be misread."""
    plain = name.strip(" ") == name != "" and not set(name) & set(",=") and name[0] != '"'
    return name if plain else '"' + name.replace('"', '""') + '"'


@dataclass
class Column:
    """A column: its role (qi, sensitive, insensitive, identifier, target or none), kind, order or hierarchy."""

    name: str
    role: str
    kind: str
    order: list = None
    paths: list = None
    weight: str = None
    typed: bool = False

    @property
    def tree(self):
        """The hierarchy, made anew where the paths have changed."""
        if self.__dict__.get("_paths") is not self.paths:
            self.__dict__["_paths"], self.__dict__["_tree"] = self.paths, Tree(self.paths)
        return self.__dict__["_tree"]


@dataclass
class Case:
    """Everything that a job is made of. `rows` are raw texts; `missing` stands for a missing value besides the empty one."""

    columns: list
    rows: list
    k: int
    requirements: list = field(default_factory=list)
    options: list = field(default_factory=list)
    dialect: dict = field(default_factory=dict)
    missing: str = None
    other: str = "drop"
    seed: int = 0
    expect: int = None
    by_spec: bool = False
    queries: list = None

    def index(self, name):
        return next(at for at, column in enumerate(self.columns) if column.name == name)

    def column(self, name):
        return self.columns[self.index(name)]

    def with_role(self, *roles):
        return [column for column in self.columns if column.role in roles]

    def raw(self, text):
        """A raw value; empty where it is missing."""
        return "" if text == self.missing else text

    def option(self, flag):
        """The value of an option; True for a flag without one, None where it is not given."""
        for option in self.options:
            if option[0] == flag:
                return option[1] if len(option) > 1 else True
        return None

    def kept(self):
        """The columns that are published as they are."""
        roles = ("sensitive", "insensitive", "target") + (("none",) if self.other == "keep" else ())
        return self.with_role(*roles)

    def secret(self):
        """The columns that are not published."""
        return self.with_role("identifier", *(("none",) if self.other == "drop" else ()))

    # Flags

    def role_flags(self, folder, roles=("qi", "sensitive", "insensitive", "identifier", "target"), quasi=True):
        """What is said of the columns of the given roles."""
        flags = []
        for role in roles:
            if role != "qi" or quasi:
                for column in self.with_role(role):
                    flags += ["--" + role, named(column.name)]
        for at, column in enumerate(self.columns):
            if column.role not in roles:
                continue
            if column.order:
                flags += ["--order", f"{named(column.name)}={folder}/{at}.order"]
            if column.paths:
                flags += ["--hierarchy", f"{named(column.name)}={folder}/{at}.hierarchy.csv"]
            if column.typed:
                flags += ["--type", f"{named(column.name)}={column.kind}"]
            if column.weight and column.role == "qi":
                flags += ["--weight", f"{named(column.name)}={column.weight}"]
        return flags + (["--missing=" + self.missing] if self.missing else [])

    def accept_flags(self, quasi=True):
        """Consent to every published column: invented columns may look like identifiers."""
        columns = (self.with_role("qi") if quasi else []) + self.kept()
        return [flag for column in columns for flag in ("--accept", named(column.name))]

    def requirement_flags(self):
        flags = ["-k", str(self.k)]
        for requirement in self.requirements:
            flags += ["--" + requirement["flag"], f"{named(requirement['column'])}={requirement['text']}"]
        return flags

    def anonymize(self, folder, extra=(), output="release"):
        """The arguments of the job: flags, or a spec and the flags that it has no key for."""
        flags = ["anonymize", self.table(folder)]
        options = self.options
        if self.by_spec:
            flags += ["--spec", os.path.join(folder, "klimt.toml")]
            options = [option for option in options if option[0] in spec.FLAGS]
        else:
            flags += self.role_flags(folder) + ["--other", self.other] + self.requirement_flags()
        flags += self.accept_flags()
        saved = {"RECODING": os.path.join(folder, "recoding.json"), "WORKLOAD": os.path.join(folder, "workload.sql")}
        flags += [saved.get(word, word) for option in options for word in option]
        flags += self.format_flags() + list(extra)
        return flags + ["-o", os.path.join(folder, output + self.dialect["output"])]

    def format_flags(self):
        """How a table that is text is written, and a release of it: that of a columnar file has commas and a header."""
        if formats.is_columnar(self.dialect["input"]):
            return []
        flags = ["--delimiter", self.dialect["delimiter"].replace("\t", "tab")] if self.dialect["named"] else []
        return flags + (["--header"] if self.dialect["header"] else [])

    # Files

    def table(self, folder):
        return os.path.join(folder, "table" + self.dialect["input"])

    def release(self, folder, name="release"):
        return os.path.join(folder, name + self.dialect["output"])

    def write(self, folder):
        """Writes the table, the orders, the hierarchies, the workload and the spec."""
        os.makedirs(folder, exist_ok=True)
        names = [column.name for column in self.columns]
        kinds = {column.name: column.kind for column in self.columns} if self.dialect.get("typed") else {}
        formats.write(self.table(folder), names, self.rows, self.dialect, self.is_empty_text, kinds)
        for at, column in enumerate(self.columns):
            if column.order:
                with open(f"{folder}/{at}.order", "w", encoding="utf-8", newline="") as out:
                    out.write("".join(value + "\n" for value in column.order))
            if column.paths:
                plain = dict(formats.PLAIN, delimiter=";")
                formats.write(f"{folder}/{at}.hierarchy.csv", column.paths[0], column.paths[1:], plain)
        if self.queries:
            with open(f"{folder}/workload.sql", "w", encoding="utf-8", newline="") as out:
                out.write(";\n".join(query["text"] for query in self.queries) + ";\n")
        if self.by_spec:
            with open(f"{folder}/klimt.toml", "w", encoding="utf-8", newline="") as out:
                out.write(spec.text(self))

    def read_release(self, path):
        """(names, rows) of a file that klimt wrote."""
        if path.split(".", 1)[1].startswith("tsv"):
            return formats.read(path, "\t")
        # A table without a delimiter is published with commas.
        return formats.read(path, "," if formats.is_columnar(self.dialect["input"]) else self.dialect["delimiter"])

    def is_empty_text(self, name, row):
        """Whether an empty text of a row is one, not NULL (or NaN in a column of floating-point numbers), in columnar files:
        in every other row."""
        return int(row[self.index("pid")][1:]) % 2 == 1

    def to_json(self):
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text):
        data = json.loads(text)
        data["columns"] = [Column(**column) for column in data["columns"]]
        return Case(**data)

    def copy(self, **changes):
        """A case of its own, with some fields changed."""
        other = Case.from_json(self.to_json())
        for name, value in changes.items():
            setattr(other, name, value)
        return other


@dataclass
class Outcome:
    """How a command ended."""

    args: list
    code: int
    out: str
    err: str
    seconds: float = 0

    def command(self):
        return "klimt " + " ".join(shlex.quote(arg) for arg in self.args)




def run(binary, args, cwd=None):
    """Runs klimt. A run that does not end is an outcome with code 124."""
    start = time.monotonic()
    try:
        done = subprocess.run([binary] + args, capture_output=True, timeout=TIMEOUT, cwd=cwd, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Outcome(args, 124, "", "timed out")
    texts = [stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr)]
    return Outcome(args, done.returncode, *texts, seconds=time.monotonic() - start)
