"""Reads each output back into {verdict, headline, criteria, findings: [{id, severity, text}], text}; ValueError where it has lost its shape."""
import html
import html.parser
import json
import re
import xml.etree.ElementTree

JUNIT_RESULT = {"FAIL": "failure", "INCONCLUSIVE": "error", "WAIVED": "skipped", "WARN": "passed", "PASS": "passed"}
SEVERITY = "critical|major|minor|note"


def json_report(text):
    return json.loads(text)


def split_at(pattern, text):
    """Pieces of text that start where the pattern matches, with its groups."""
    hits = list(re.finditer(pattern, text, re.M))
    return [(m.groups(), text[m.start():(hits[i + 1].start() if i + 1 < len(hits) else len(text))]) for i, m in enumerate(hits)]


def terminal(text):
    lines = text.split("\n")
    first = next((line for line in lines if not line.startswith("SIMULATED")), "")
    head = re.match(r"([A-Z]+)  (.+?)(?:  .*)?$", first)
    if not head:
        raise ValueError(f"terminal: first line is {first!r}")
    criteria = text[text.find("\nCriteria: "):text.find("\nFindings: ")]
    findings = text[text.find("\nFindings: "):text.find("\nRate ")]
    return {"verdict": head[1], "headline": head[2], "text": text,
            "criteria": [part for _, part in split_at(r"^  (met|warning|NOT MET|not decided|waived) +\S", re.sub(r"\n  \.\.\. .*", "", criteria))],
            "findings": [{"id": g[0], "severity": g[1], "text": part} for g, part in split_at(rf"^  (F\d+) ({SEVERITY}) ", findings)]}


def markdown(text):
    head = re.match(r"## ([A-Z]+): (.+)\n", text)
    if not head:
        raise ValueError("markdown: no verdict in the first line")
    rows = [[html.unescape(cell.strip()) for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("| ")]
    if any(len(r) != 4 for r in rows):
        raise ValueError("markdown: a row of the criteria has not four cells")
    findings = [{"id": g[0], "severity": g[1], "text": html.unescape(part)}
                for g, part in split_at(rf"^<details><summary><b>(F\d+) ({SEVERITY})</b>", text)]
    return {"verdict": head[1], "headline": head[2], "text": html.unescape(text), "criteria": ["|".join(r) for r in rows[1:]], "findings": findings}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.path, self.got = [], {"verdict": "", "headline": "", "text": "", "criteria": [], "findings": []}
        self.row, self.title = None, ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("meta", "br", "rect", "path", "circle", "use"):
            return
        self.path.append((tag, attributes.get("class") or ""))
        if tag == "details":
            self.got["findings"].append({"id": attributes["id"], "severity": "", "text": ""})
        if tag == "svg" and self.inside("details") and not self.got["findings"][-1]["severity"]:
            self.got["findings"][-1]["severity"] = attributes.get("aria-label", "")
        if tag == "tr" and self.inside("table", "crit") and self.inside("tbody"):
            self.row = []
        if tag == "td" and self.row is not None:
            self.row.append("")

    def handle_endtag(self, tag):
        if tag in ("meta", "br", "rect", "path", "circle", "use"):
            return
        while self.path and self.path.pop()[0] != tag:
            pass
        if tag == "tr" and self.row is not None:
            if len(self.row) == 4:
                self.got["criteria"].append("|".join(self.row))
            self.row = None

    def inside(self, tag, mark=""):
        return any(t == tag and mark in c.split() + [""] for t, c in self.path)

    def handle_data(self, data):
        if self.inside("style"):
            return
        self.got["text"] += data + " "
        if self.inside("title"):
            self.title += data
        if self.inside("span", "pill"):
            self.got["verdict"] += data
        if self.inside("h1"):
            self.got["headline"] += data
        if self.inside("details"):
            self.got["findings"][-1]["text"] += data + " "
        if self.row and not self.inside("a"):
            self.row[-1] += data


def page(text):
    p = Page()
    p.feed(text)
    p.close()
    if not p.title.startswith(f"{p.got['verdict']}: {p.got['headline']}"):
        raise ValueError(f"html: the title says {p.title!r}")
    return p.got


def junit(text):
    root = xml.etree.ElementTree.fromstring(text.encode())  # ParseError is a SyntaxError
    suite = root.find("testsuite")
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    cases = suite.findall("testcase")
    counts = {k: int(root.get(k)) for k in ("tests", "failures", "errors", "skipped")}
    if counts != {k: int(suite.get(k)) for k in counts}:
        raise ValueError("junit: counts of the suite and of all suites differ")
    results = [next((c.tag for c in case if c.tag != "system-out"), "passed") for case in cases]
    texts = ["".join(case.itertext()) for case in cases]
    out = suite.find("system-out").text
    findings = [{"id": g[0], "severity": g[1], "text": part} for g, part in split_at(rf"^(F\d+) ({SEVERITY}): ", out)]
    return {"verdict": properties["verdict"], "headline": properties["headline"], "text": out, "names": [c.get("name") for c in cases],
            "results": results, "counts": counts, "texts": texts,
            "criteria": [re.split(r"^F\d+ ", t, 1, re.M)[0] for t in texts], "findings": findings}


class Metrics:
    def __init__(self, samples):
        self.samples = samples  # [(family, labels, value)]

    def labelled(self, family, *names):
        return {tuple(labels[n] for n in names): value for f, labels, value in self.samples if f == family}


def prometheus(text):
    if not text.endswith("\n# EOF\n"):
        raise ValueError("prom: no # EOF at the end")
    samples, begun = [], set()
    for line in text.split("\n")[:-1]:
        if line.startswith("# TYPE "):
            family = line.split()[2]
            if family in begun:
                raise ValueError(f"prom: {family} begins twice")
            begun.add(family)
        if line.startswith("#"):
            continue
        m = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)', line)
        if not m or m[1] not in begun:
            raise ValueError(f"prom: {line!r}")
        labels = {k: v.replace("\\\"", "\"").replace("\\\\", "\\") for k, v in re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', m[2] or "")}
        samples.append((m[1], labels, float(m[3])))
    return Metrics(samples)


READERS = {"txt": terminal, "md": markdown, "html": page, "xml": junit}
