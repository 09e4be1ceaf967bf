"""Random queries: COUNT over a conjunction of ranges and equalities, as text and as what they admit."""

from .values import identity, is_ordered, position


def queries(random, made, most=6):
    """A few queries about quasi-identifiers with values that occur; each with the rows that it counts told by `count`."""
    found = []
    for _ in range(random.randint(1, most)):
        parts, tests = [], []
        for column in random.sample(made.with_role("qi"), min(len(made.with_role("qi")), random.choice([1, 1, 2]))):
            at = made.index(column.name)
            values = [made.raw(row[at]) for row in made.rows if made.raw(row[at]) != ""]
            if not values:
                continue
            if is_ordered(column) and random.random() < 0.7:
                low, high = sorted(random.choices(values, k=2), key=lambda text: position(column, text))
                parts.append(f"{name(column)} BETWEEN {literal(low)} AND {literal(high)}")
                tests.append([column.name, "between", [low, high]])
            else:
                some = sorted(set(random.choices(values, k=random.choice([1, 2]))))
                parts.append(f"{name(column)} IN ({', '.join(literal(text) for text in some)})")
                tests.append([column.name, "in", some])
        if parts:
            found.append({"text": "SELECT COUNT(*) WHERE " + " AND ".join(parts), "tests": tests})
    return found


def name(column):
    return '"' + column.name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def count(case, query):
    """How many rows of the table a query counts."""
    return sum(all(admits(case, row, *test) for test in query["tests"]) for row in case.rows)


def admits(case, row, column_name, kind, values):
    column = case.column(column_name)
    text = case.raw(row[case.index(column_name)])
    if text == "":
        return False
    if kind == "in" and column.kind == "boolean":
        return text in values  # unordered values of a quasi-identifier are texts
    if kind == "in":
        return identity(column, text) in {identity(column, value) for value in values}
    return position(column, values[0]) <= position(column, text) <= position(column, values[1])
