"""A case as a spec, `klimt.toml`: what flags say, said by keys."""

# Flags that no key stands for.
FLAGS = ("--threads", "--seed", "--save-recoding")

ROLES = {"qi": "quasi-identifier"}
NUMBERS = ("base-k", "leaf-capacity", "gap", "queue", "lookahead")
LISTS = ("statistics", "prefer")


def text(case):
    """The spec of a case. Its files lie beside it."""
    lines = [f"k = {case.k}", f'other = "{case.other}"']
    if case.missing:
        lines.append(f"missing = [{quoted(case.missing)}]")
    columns = {column.name: of_column(at, column) for at, column in enumerate(case.columns)}
    for requirement in case.requirements:
        keys = columns[requirement["column"]]
        value = requirement["text"] if requirement["flag"] == "min-width" else quoted(requirement["text"])
        keys.setdefault(requirement["flag"], []).append(value)
    for flag, *values in case.options:
        if flag not in FLAGS:
            option(lines, columns, flag[2:], values)
    for name, keys in columns.items():
        if keys:
            lines.append(f"\n[columns.{quoted(name)}]")
            lines += [f"{key} = {values[0] if len(values) == 1 else '[' + ', '.join(values) + ']'}" for key, values in keys.items()]
    return "\n".join(lines) + "\n"


def of_column(at, column):
    """The keys of a column, each with its values."""
    keys = {}
    if column.role != "none":
        keys["role"] = [quoted(ROLES.get(column.role, column.role))]
    if column.order:
        keys["order"] = [quoted(f"{at}.order")]
    if column.paths:
        keys["hierarchy"] = [quoted(f"{at}.hierarchy.csv")]
    if column.typed:
        keys["type"] = [quoted(column.kind)]
    if column.weight and column.role == "qi":
        keys["weight"] = [column.weight]
    return keys


def option(lines, columns, key, values):
    """Adds a flag: a key of the spec, or of the column that it is about."""
    if not values:
        lines.append(f"{key} = true")
    elif key in ("scheme", "levels") and "=" in values[0]:
        name, value = values[0].rsplit("=", 1)
        columns[unquoted(name)][key] = [quoted(value)]
    elif key in LISTS:
        parts = [unquoted(values[0])] if key == "prefer" else values[0].split(",")
        lines.append(f"{key} = [{', '.join(quoted(part) for part in parts)}]")
    else:
        value = {"WORKLOAD": "workload.sql"}.get(values[0], values[0])
        lines.append(f"{key} = {value if key in NUMBERS else quoted(value)}")


def quoted(value):
    """A basic string of TOML."""
    made = "".join(f"\\u{ord(char):04x}" if ord(char) < 32 or char in '"\\' else char for char in value)
    return f'"{made}"'


def unquoted(name):
    """A column's name, of what flags take for it."""
    return name[1:-1].replace('""', '"') if name[:1] == '"' else name
