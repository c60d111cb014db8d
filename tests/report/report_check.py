"""Outside view of the golden reports: report.json against its schema, the page's style against its hash, no script and no outside reference, report.xml by an
XML parser and against the elements that CI systems know.
Usage: report_check.py ROOT [FILE...]; without files, everything in tests/golden/report. Exit 1 on any breach, 2 if there is nothing to check."""
import base64
import hashlib
import html.parser
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv[1])
VOID = {"meta", "br", "rect", "path", "circle", "use"}


def follow(schema, ref):
    for part in ref.removeprefix("#/").split("/"):
        schema = schema[part]
    return schema


def check(value, rule, root, where, breaches):
    """The part of JSON Schema that share/report.schema.json uses; an unknown keyword is a breach, so that none is silently ignored."""
    known = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "required", "properties", "additionalProperties", "items", "enum", "const",
             "pattern", "minimum", "minLength"}
    for keyword in set(rule) - known:
        breaches.append(f"schema {where}: keyword {keyword} is not checked")
    if "$ref" in rule:
        check(value, follow(root, rule["$ref"]), root, where, breaches)
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
    wanted = rule.get("type")
    if wanted and (not isinstance(value, types[wanted]) or (wanted in ("integer", "number") and isinstance(value, bool))):
        breaches.append(f"{where}: {wanted} expected")
        return
    if "enum" in rule and value not in rule["enum"]:
        breaches.append(f"{where}: {value!r} is none of {rule['enum']}")
    if "const" in rule and value != rule["const"]:
        breaches.append(f"{where}: {rule['const']!r} expected")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        breaches.append(f"{where}: {value!r} does not match {rule['pattern']}")
    if "minimum" in rule and value < rule["minimum"]:
        breaches.append(f"{where}: {value} is below {rule['minimum']}")
    if "minLength" in rule and len(value) < rule["minLength"]:
        breaches.append(f"{where}: too short")
    if isinstance(value, dict):
        for key in rule.get("required", []):
            if key not in value:
                breaches.append(f"{where}.{key}: missing")
        for key, inner in value.items():
            if key in rule.get("properties", {}):
                check(inner, rule["properties"][key], root, f"{where}.{key}", breaches)
            elif rule.get("additionalProperties") is False:
                breaches.append(f"{where}.{key}: not in the schema")
    if isinstance(value, list) and "items" in rule:
        for i, inner in enumerate(value):
            check(inner, rule["items"], root, f"{where}[{i}]", breaches)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.breaches, self.ids, self.links, self.policy = [], [], [], [], ""

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcset", "action"):
                self.breaches.append(f"<{tag}> has {name}: blocked by the page's own policy, or a way out of the page")
            if name == "href":
                if not value.startswith("#"):
                    self.breaches.append(f"<{tag} href={value!r}>: the page may point only at itself")
                self.links.append(value[1:])
            if name == "id":
                self.ids.append(value)
        if tag in ("script", "iframe", "object", "embed", "img", "link", "form", "base"):
            self.breaches.append(f"<{tag}> has no place in the page")
        if tag == "meta" and dict(attributes).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attributes)["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.breaches.append(f"</{tag}> closes {self.open[-1:]} at line {self.getpos()[0]}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def page_breaches(text):
    page = Page()
    page.feed(text)
    page.close()
    found = page.breaches + [f"<{t}> is never closed" for t in page.open]
    style = re.search(r"<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode() if style else "no style"
    if f"style-src 'sha256-{digest}'" not in page.policy:
        found.append(f"the style's hash is {digest}: put it into fabric/report/page_style.cc")
    if "default-src 'none'" not in page.policy or "unsafe" in page.policy:
        found.append(f"policy is not strict: {page.policy}")
    if style and re.search(r"url\(|@import|expression", style.group(1)):
        found.append("the style refers to something outside")
    found += [f"id {i} occurs twice" for i in sorted({i for i in page.ids if page.ids.count(i) > 1})]
    found += [f"#{link} leads nowhere" for link in sorted(set(page.links) - set(page.ids))]
    return found


# What Jenkins, GitLab and GitHub's reporters read (there is no one schema): element -> attributes, in the order of Jenkins' junit-10.xsd.
JUNIT = {"testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
         "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, "properties": set(), "property": {"name", "value"},
         "testcase": {"classname", "name", "time"}, "failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"message"}, "system-out": set()}


def junit_breaches(text):
    try:
        root = xml.etree.ElementTree.fromstring(text.encode())
    except xml.etree.ElementTree.ParseError as e:
        return [f"not XML: {e}"]
    found = [f"<{e.tag} {sorted(set(e.attrib) - JUNIT.get(e.tag, set()))}> is not JUnit" for e in root.iter()
             if e.tag not in JUNIT or set(e.attrib) - JUNIT[e.tag]]
    found += [f"{c.get('name')}: {len(c)} results" for c in root.iter("testcase") if len([e for e in c if e.tag != "system-out"]) > 1]
    names = [c.get("name") for c in root.iter("testcase")]
    found += [f"test case {n} is there twice" for n in sorted({n for n in names if names.count(n) > 1})]
    return found + ([] if names else ["no test case"])


def main():
    files = [pathlib.Path(p) for p in sys.argv[2:]] or sorted((ROOT / "tests/golden/report").glob("*"))
    schema = json.loads((ROOT / "share/report.schema.json").read_text())
    breaches, seen = [], 0
    for file in files:
        found = []
        if file.suffix == ".json":
            document = json.loads(file.read_text())
            check(document, schema, schema, "$", found)
            try:
                import jsonschema
                found += [f"jsonschema: {e.json_path}: {e.message}" for e in jsonschema.Draft202012Validator(schema).iter_errors(document)]
            except ImportError:
                pass
            # canary: the checker must see a wrong document
            canary = []
            check({**document, "verdict": "FINE", "findings": [{}]}, schema, schema, "$", canary)
            if not canary:
                found.append("the checker is blind: it accepts a wrong document")
        elif file.suffix == ".html":
            text = file.read_text()
            found = page_breaches(text)
            if not page_breaches(text.replace("</main>", '<img src="http://x/" onerror="x()"></main>')):
                found.append("the checker is blind: it accepts an outside image")
        elif file.suffix == ".xml":
            found = junit_breaches(file.read_text())
            if not junit_breaches(file.read_text().replace(' time="', ' colour="', 1)):
                found.append("the checker is blind: it accepts an unknown attribute")
        else:
            continue
        seen += 1
        breaches += [f"{file.name}: {b}" for b in found]
    print("\n".join(breaches))
    print(f"{seen} reports, {len(breaches)} breaches")
    return 2 if not seen else 1 if breaches else 0


sys.exit(main())
