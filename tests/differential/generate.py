"""Random cases: tables with awkward values, roles, hierarchies and orders; `options` adds the flags of a job.

Texts hold marks that appear nowhere else, so that a message or a certificate that shows a value is noticed.
"""

from datetime import date, datetime, timedelta, timezone

from . import formats, options
from .case import Case, Column
from .values import position

QI_MARK, SENSITIVE_MARK, SECRET_MARK = "qx7", "sx7", "ix7"
MARKED_NUMBER = 73461000

WORDS = ["Rome", "Oslo", "Łódź", "東京", "São Paulo", " lead", "trail ", "O'Brien", 'say "hi"', "x,y", "x;y", "tab\there",
         "e\u0301", "🙂", "rome", "NULL", "=1+1", "-", "#", "a|b", "back\\slash", "{", "}", "[", "1..2", "(", "\\"]
PUBLISHED = ["[1..9]", "{a|b}", "(2..3]", "5.", "{}", "[a..b]", "\\{a\\|b\\}", "{x}", "[]", "true", "2020-01-01"]
NAMES = ["age", "zip", "income", "since", "place", "job", "level", "naïve col", "x.y", "größe", "a,b", "x=y", '"q"', " lead",
         "it's", "*", "[a]", "a|b", "1", "年齢"]


def words(random, many, mark, odd=True):
    """Different texts, most of them with a mark."""
    found = []
    while len(found) < many:
        word = random.choice(WORDS)
        if odd and random.random() < 0.12:
            text = random.choice(PUBLISHED)
        elif random.random() < 0.85:
            text = f"{word}{mark}{random.randrange(10)}"
        else:
            text = word
        if text not in found and (text.strip() or not odd):
            found.append(text)
    return found


def integers(random, rows):
    start = random.choice([0, 1, -20, -3, 1000, MARKED_NUMBER, MARKED_NUMBER, -10**9, 2**53 - 4, 2**63 - 20, -2**63, 10**25])
    span = random.choice([0, 1, 3, 10, 40, 200])
    spellings = random.random() < 0.25
    def text():
        value = start + random.randint(0, span)
        if spellings and random.random() < 0.3:
            if value == 0:
                return random.choice(["-0", "+0", "+00"])
            # Digits alone that begin with a zero are codes, and no numbers.
            return random.choice(["+0%d", "+%d", "+00%d"]) % value if value >= 0 else "-0%d" % -value
        return str(value)
    return [text() for _ in range(rows)]


def decimals(random, rows):
    span = random.choice([2, 10, 100])
    places = random.choice([1, 2, 3])
    spellings = random.random() < 0.5
    def text():
        value = random.randint(-span if random.random() < 0.2 else 0, span * 10) / 10**places
        plain = f"{value:.{places}f}"
        if spellings and random.random() < 0.4:
            short = plain.rstrip("0")
            forms = [plain + "0", short, "+" + plain if value >= 0 else plain, plain + "e0", f"{value * 10:.{places}f}e-1",
                     plain + "E+0", "0" + plain if value >= 0 else plain]
            if value == 0:
                forms += ["-0", "0", "0e9"]
            if value == int(value):
                forms += [str(int(value)), f"{int(value)}."]
            if 0 < value < 1:
                forms.append(plain[1:])
            return random.choice(forms)
        return plain
    return [text() for _ in range(rows)]


def dates(random, rows):
    first, span = date(random.choice([1969, 1999, 2023, 1582, 9990]), 12, 20), random.choice([0, 3, 30, 3000])
    return [str(first + timedelta(days=random.randint(0, span))) for _ in range(rows)]


def timestamps(random, rows):
    first, span = datetime(random.choice([1969, 2023]), 12, 31, 20), random.choice([10, 1000, 10**6])
    zoned, spellings = random.random() < 0.4, random.random() < 0.4
    def text():
        moment = first + timedelta(minutes=random.randint(0, span))
        plain = moment.strftime("%Y-%m-%dT%H:%M:%S")
        if spellings and random.random() < 0.4:
            if zoned:
                return (moment + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%S+02:00")
            return random.choice([plain + ".0", plain.replace("T", " "), plain + ".5"])
        return plain + ("Z" if zoned else "")
    return [text() for _ in range(rows)]


def hierarchy(random, leaves, mark):
    """Paths over leaves, bottom up: neighbours are joined until one is left, the root `*` or a label. Some are ragged: a label
    with one child is left out."""
    paths = [[leaf] for leaf in leaves]
    level = [[path] for path in paths]
    label = 0
    while len(level) > 1:
        joined, at = [], 0
        while at < len(level):
            size = min(random.choice([1, 2, 2, 3]), len(level) - at)
            size = size if len(level) > 2 or joined else len(level)
            part = sum(level[at : at + size], [])
            joined.append(part)
            at += size
        if len(joined) == len(level):
            joined = [sum(level, [])]
        level = joined
        for part in level:
            label += 1
            name = f"n{label}{mark}" if len(level) > 1 else random.choice(["*", f"any{mark}"])
            for path in part:
                path.append(name)
    if not paths[0][1:]:
        paths[0].append("*")
    if random.random() < 0.4:
        below = {}
        for path in paths:
            for low, high in zip(path, path[1:]):
                below.setdefault(high, set()).add(low)
        alone = {label for label, children in below.items() if len(children) == 1 and label != paths[0][-1]}
        paths = [[label for label in path if label not in alone] for path in paths]
    return paths


def column(random, name, role, rows):
    """A column and its values."""
    mark = SENSITIVE_MARK if role == "sensitive" else QI_MARK
    measured = ["integer", "integer", "decimal", "date", "timestamp"]
    kind = random.choice(measured + ["category", "category", "ordinal", "taxonomy", "taxonomy", "boolean"])
    made = Column(name, role, kind)
    if kind in ("category", "ordinal", "taxonomy"):
        most = max(2, min(9, rows // 3))
        pool = words(random, random.randint(1 if kind == "category" else 2, most), mark)
        if kind == "taxonomy" and random.random() < 0.2:
            pool = [str(number) for number in sorted(random.sample(range(40), len(pool)))]
        if kind == "category" and not any(mark in word for word in pool):
            pool[0] = "plain" + mark
        weights = [random.choice([1, 1, 2, 5]) for _ in pool]
        values = random.choices(pool, weights, k=rows)
        if random.random() < 0.3 and len(pool) > 2 and kind != "category":
            # Some listed values do not occur.
            values = [pool[0] if value == pool[-1] else value for value in values]
        if kind == "category":
            values = ["plain" + mark if word in PUBLISHED and random.random() < 0.6 else word for word in values]
        elif kind == "ordinal":
            made.order = pool
        else:
            made.paths = hierarchy(random, pool, mark)
    elif kind == "boolean":
        spelt = random.choice([["true", "false"], ["true", "false", "True", "FALSE"]])
        values = [random.choice(spelt) for _ in range(rows)]
    else:
        values = {"integer": integers, "decimal": decimals, "date": dates, "timestamp": timestamps}[kind](random, rows)
    made.typed = kind in measured and random.random() < 0.3
    return made, values


def table(random):
    """Columns and rows: quasi-identifiers, sensitive and other columns, and the key `pid` that tells rows apart."""
    rows = random.choice([6, 12, 20, 30, 40, 60, 90, 150] * 4 + [1, 2, 3])
    names = random.sample(NAMES, len(NAMES))
    made = [column(random, names.pop(), "qi", rows) for _ in range(random.choice([1, 2, 2, 3, 3, 4]))]
    made += [column(random, f"sens{at}", "sensitive", rows) for at in range(random.choice([0, 1, 1, 1, 2]))]
    for made_column, values in made:
        chance = random.choice([0] * 16 + [1.5 / rows] * 4 + [0.2] * 3 + [1])
        values[:] = ["" if random.random() < chance else value for value in values]
    if random.random() < 0.4:
        kind = random.choice(["category", "integer"])
        values = [random.choice(["yes", "no"]) if kind == "category" else str(random.randint(0, 30)) for _ in range(rows)]
        made.append((Column("class", "target", kind), values))
    if random.random() < 0.6:
        made.append((Column("name", "identifier", "category"), [f"{SECRET_MARK}-n{at}" for at in range(rows)]))
    if random.random() < 0.6:
        notes = [random.choice(["", "plain", "two\nlines", 'a "quote"', " blank ", "ü,;\t|", "'"]) for _ in range(rows)]
        made.append((Column("note", "insensitive", "category"), notes))
    if random.random() < 0.5:
        made.append((Column("extra", "none", "category"), [f"{SECRET_MARK}-x{at % 7}" for at in range(rows)]))
    made.append((Column("pid", "insensitive", "category"), [f"p{at}" for at in range(rows)]))
    random.shuffle(made)
    return [one for one, _ in made], [list(row) for row in zip(*(values for _, values in made))]


def dialect(random):
    """How the files are written."""
    chosen = dict(formats.PLAIN)
    chosen["delimiter"] = random.choice([",", ",", ",", ";", "\t", "|"])
    chosen["named"] = random.random() < 0.8 or chosen["delimiter"] == "|"
    chosen["header"] = random.random() < 0.7
    chosen["quotes"] = random.choice(["minimal", "minimal", "all"])
    chosen["line"] = random.choice(["\n", "\n", "\r\n"])
    chosen["bom"] = random.random() < 0.1
    plain = ".tsv" if chosen["delimiter"] == "\t" else ".csv"
    packed = [plain + ".gz"] + ([plain + ".zst"] if formats.pyarrow else [])
    chosen["input"] = random.choice([plain, plain, random.choice(packed)])
    chosen["output"] = random.choice([plain, plain, random.choice(packed)])
    if formats.pyarrow:
        chosen["input"] = random.choice([chosen["input"], chosen["input"], ".parquet", ".arrow"])
        chosen["output"] = random.choice([chosen["output"], chosen["output"], ".parquet", ".arrow"])
    chosen["typed"] = formats.is_columnar(chosen["input"]) and random.random() < 0.6
    return chosen


def give_types(made):
    """Spells the values of a table as the types of a columnar file do: one number, date or instant has one spelling."""
    for at, one in enumerate(made.columns):
        texts = [row[at] for row in made.rows]
        if one.kind == "integer" and any(text and not -2**63 <= int(text) < 2**63 for text in texts):
            continue
        for row in made.rows:
            row[at] = row[at] and typed_text(one.kind, row[at])


def typed_text(kind, text):
    if kind == "integer":
        return str(int(text))
    if kind == "decimal":
        return str(float(text)).removesuffix(".0")
    if kind == "timestamp":
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None) if moment.tzinfo else moment
        return moment.isoformat().rstrip("0") if moment.microsecond else moment.isoformat()
    return text.lower() if kind == "boolean" else text


def large(random, seed):
    """A case whose table does not fit into the least memory that may be granted: few columns, many rows."""
    rows = random.choice([30000, 80000])
    spans = random.sample([50, 3000, 10**6], random.choice([2, 3]))
    columns = [Column(name, "qi", random.choice(["integer", "integer", "decimal", "date"])) for name, _ in zip(NAMES, spans)]
    columns += [Column("place", "qi", random.choice(["category", "taxonomy", "ordinal"])), Column("sens0", "sensitive", "category"),
                Column("pid", "insensitive", "category")]
    places, values = words(random, 5, QI_MARK, odd=False), words(random, 4, SENSITIVE_MARK, odd=False)
    columns[-3].order = places if columns[-3].kind == "ordinal" else None
    columns[-3].paths = hierarchy(random, places, QI_MARK) if columns[-3].kind == "taxonomy" else None
    first, chance = date(1970, 1, 1), random.choice([0, 0, 3 / rows, 0.01])
    spell = {"integer": str, "decimal": lambda value: f"{value / 10:.{1 + value % 2}f}",
             "date": lambda value: str(first + timedelta(days=value % 20000))}
    def measured(column, span):
        return "" if random.random() < chance else spell[column.kind](random.randint(0, span))
    made = [[measured(column, span) for column, span in zip(columns, spans)]
            + [random.choice(places), random.choice(values), f"p{at}"] for at in range(rows)]
    case_ = Case(columns, made, k=random.choice([3, 20, 500]), dialect=dict(formats.PLAIN), seed=seed)
    if formats.pyarrow:
        case_.dialect["input"] = random.choice([".csv", ".csv", ".parquet"])
    if random.random() < 0.5:
        flag, text = random.choice([("l-diversity", "distinct:2"), ("l-diversity", "entropy:1.5"), ("t-closeness", "0.6:equal")])
        case_.requirements.append({"flag": flag, "column": "sens0", "text": text})
    case_.options = [["--algorithm", random.choice(["rothko-t", "rothko-t", "rothko-s", "rtree", "auto"])],
                     ["--memory", "16MB"], ["--seed", "1"]]
    if random.random() < 0.3:
        case_.options.append(["--extent", "region"])
    if random.random() < 0.3:
        case_.options.append(["--statistics", "range,mean"])
    return case_


def case(random, seed):
    """A whole case."""
    columns, rows = table(random)
    made = Case(columns, rows, k=random.choice([2, 2, 3, 4, 5, 8]), dialect=dialect(random), seed=seed)
    made.k = min(made.k, max(2, len(rows) // 2))
    made.other = "keep" if random.random() < 0.1 else "drop"
    if made.dialect["typed"]:
        give_types(made)
    elif random.random() < 0.15:
        # Another word for missing values, in some of the columns that have any.
        made.missing = random.choice(["n/a", "?", "-999"])
        for row in rows:
            row[:] = [made.missing if text == "" and random.random() < 0.5 and one.role != "insensitive" else text
                      for one, text in zip(columns, row)]
    for one in made.with_role("qi"):
        one.weight = random.choice(["2", "0.5"]) if random.random() < 0.1 else None
    options.add(random, made)
    made.by_spec = random.random() < 0.2
    if random.random() < 0.02 and not made.dialect["typed"]:
        star(random, made)
    return made


def star(random, made):
    """A raw value `*` in a quasi-identifier: klimt must refuse the table, as nobody could tell it from everything."""
    column = random.choice(made.with_role("qi"))
    at = made.index(column.name)
    random.choice(made.rows)[at] = "*"
    if column.kind in ("ordinal", "taxonomy"):
        column.order = column.paths = None
        column.kind = "category"
    made.expect = 2


def spread(made, name):
    """The length of the range of an ordered column, or None."""
    at = made.index(name)
    places = [position(made.columns[at], made.raw(row[at])) for row in made.rows if made.raw(row[at]) != ""]
    places = [place for place in places if place is not None]
    return max(places) - min(places) if places else None
