#!/usr/bin/env python3
"""Compare our API schema with a reference, by structure.

usage: schema_diff.py OURS REFERENCE

Both are documents as `herdr api schema --json` prints them. References are followed, so definitions
may be named differently; what is compared is what a client meets: every method, parameter, required
list, type, range, enumeration and default, every result type, event and subscription entry.

OURS may have members and forms that REFERENCE has not, but only those it marks with "x-drover-addition": true.
Prints each difference, and exits 1 if there is one, 2 if called wrongly.
"""

import json
import sys

MARK = "x-drover-addition"

# Stands for a keyword that is not there; a keyword that is null is there.
ABSENT = object()

# Words about a schema that do not change what it accepts.
ANNOTATIONS = {"$comment", "$defs", "$schema", "description", "title", MARK}

# Members that tell the forms of a `oneOf` apart.
TAGS = ("method", "type", "event", "op")


class Comparison:
    def __init__(self, ours, reference):
        self.ours = ours
        self.reference = reference
        self.differences = []
        self.additions = set()
        self.compared = set()

    def run(self):
        for key in ("$schema", "protocol", "schema_version", "title"):
            self.same(key, self.ours.get(key), self.reference.get(key))
        ours, reference = self.ours["schemas"], self.reference["schemas"]
        self.same("schemas", sorted(ours), sorted(reference))
        for section in sorted(set(ours) & set(reference)):
            self.schema(section, ours[section], reference[section])

    def report(self, where, text):
        self.differences.append(f"{where}: {text}")

    def same(self, where, ours, reference):
        if ours != reference:
            self.report(where, f"ours {json.dumps(ours)}, reference {json.dumps(reference)}")

    def schema(self, where, ours, reference):
        ours_at, ours = resolve(self.ours, ours)
        reference_at, reference = resolve(self.reference, reference)
        if ours_at and reference_at:
            # A definition that contains itself is compared once.
            if (ours_at, reference_at) in self.compared:
                return
            self.compared.add((ours_at, reference_at))
        if not isinstance(ours, dict) or not isinstance(reference, dict):
            self.same(where, ours, reference)
            return
        for key in sorted((set(ours) | set(reference)) - ANNOTATIONS):
            self.keyword(where, key, ours.get(key, ABSENT), reference.get(key, ABSENT))

    def keyword(self, where, key, ours, reference):
        if ours is ABSENT:
            self.report(f"{where} {key}", f"missing, reference {json.dumps(reference)}")
        elif reference is ABSENT:
            self.report(f"{where} {key}", f"ours {json.dumps(ours)}, not in the reference")
        elif key == "properties":
            self.properties(where, ours, reference)
        elif key in ("required", "type") and isinstance(ours, list) and isinstance(reference, list):
            self.same(f"{where} {key}", sorted(ours), sorted(reference))
        elif key in ("oneOf", "anyOf"):
            self.forms(where, ours, reference)
        elif key in ("items", "additionalProperties", "propertyNames"):
            self.schema(f"{where}[]", ours, reference)
        else:
            self.same(f"{where} {key}", ours, reference)

    def properties(self, where, ours, reference):
        for name in sorted(set(ours) | set(reference)):
            here = f"{where}.{name}"
            if name not in ours:
                self.report(here, "missing")
            elif name in reference:
                self.schema(here, ours[name], reference[name])
            elif ours[name].get(MARK) is True:
                self.additions.add(here.split(" ", 1)[-1])
            else:
                self.report(here, "an addition that is not marked")

    def forms(self, where, ours, reference):
        names = [name_of(form, at) for at, form in enumerate(ours)]
        expected = [name_of(form, at) for at, form in enumerate(reference)]
        for name in expected:
            if name not in names:
                self.report(f"{where} {name}", "missing")
        for name, form in zip(names, ours):
            if name not in expected:
                if form.get(MARK) is True:
                    self.additions.add(name)
                else:
                    self.report(f"{where} {name}", "an addition that is not marked")
        names, ours = without_additions(names, ours, expected)
        if sorted(names) == sorted(expected) and names != expected:
            self.report(where, f"the order differs: ours {names}, reference {expected}")
        for name in expected:
            if name in names:
                self.schema(
                    f"{where} {name}",
                    ours[names.index(name)],
                    reference[expected.index(name)],
                )


def without_additions(names, forms, expected):
    """Those of the forms that the reference has too, in our order."""
    kept = [(name, form) for name, form in zip(names, forms) if name in expected]
    return [name for name, _ in kept], [form for _, form in kept]


def resolve(document, schema):
    """Follow references; gives where the last one led (or None) and the schema there."""
    at = None
    while isinstance(schema, dict) and "$ref" in schema:
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        at = schema["$ref"]
        target = document
        for step in at.removeprefix("#/").split("/"):
            target = target[step]
        if siblings:
            # A reference with words beside it, such as a default, is a schema of its own.
            return None, {**target, **siblings}
        schema = target
    return at, schema


def name_of(form, at):
    """What a client calls a form: the value of its tag, else its place."""
    properties = form.get("properties", {}) if isinstance(form, dict) else {}
    for tag in TAGS:
        if "const" in properties.get(tag, {}):
            return properties[tag]["const"]
    return f"#{at}"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    documents = []
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    comparison = Comparison(*documents)
    comparison.run()
    for difference in comparison.differences:
        print(difference)
    methods = len(documents[0]["schemas"]["request"]["oneOf"])
    added = ", ".join(sorted(comparison.additions)) or "none"
    print(
        f"{len(comparison.differences)} differences; {methods} methods; additions: {added}",
        file=sys.stderr,
    )
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
