"""All outputs of one run agree in verdict, ids, codes, places, words and numbers; report.json is what the others are held against.
Usage: outputs_agree.py STEM... A stem is what stands before .json .txt .md .html .xml .prom: RUN/report, or tests/golden/report/faulty.
Each output is then changed (verdict, id, code, number): a change that nobody notices is a breach, too. Exit 1 on any breach, 2 if a file is missing."""
import pathlib
import re
import sys

import outputs_read as read
import words

SHOWN = {"txt": 8, "md": 20, "html": 500, "xml": 200, "prom": 100}  # findings, the gravest


def squeezed(text):
    return re.sub(r"\s+", "", text)


def compare(breaches, what, found, wanted):
    if found != wanted:
        breaches.append(f"{what}: {found!r}, report.json has {wanted!r}")


def check_text_output(name, got, report, breaches):
    """Outputs for people, and JUnit: the same words."""
    compare(breaches, f"{name} verdict", got["verdict"], report["verdict"])
    compare(breaches, f"{name} sentence", squeezed(report["sentence"].rstrip(".")) in squeezed(got["text"]), True)
    findings = report["findings"][: SHOWN[name]]
    compare(breaches, f"{name} finding ids", [f["id"] for f in got["findings"]], [f["id"] for f in findings])
    for f, g in zip(findings, got["findings"]):
        compare(breaches, f"{name} {f['id']} severity", g["severity"], f["severity"])
        wanted = [f["title"], *words.facts(f)] if name == "html" else [f["title"], words.facts_line(f)]
        for part in wanted:
            compare(breaches, f"{name} {f['id']} says {part!r}", squeezed(part) in squeezed(g["text"]), True)
    if len(report["findings"]) > len(findings):
        more = len(report["findings"]) - len(findings)
        compare(breaches, f"{name} says how many more", bool(re.search(rf"\b{more} more", got["text"])), True)
    criteria = report["criteria"] if name != "txt" else words.attention_first(report["criteria"])[:12]
    compare(breaches, f"{name} criteria", [squeezed(c) for c in got["criteria"]],
            [squeezed(words.criterion(c, name)) for c in criteria])
    compare(breaches, f"{name} coverage", squeezed(words.coverage(report, name)) in squeezed(got["text"]), True)
    if name in ("txt", "html"):
        for figure in words.figures(report):
            compare(breaches, f"{name} figure {figure}", squeezed(figure) in squeezed(got["text"]), True)


def check_junit(got, report, breaches):
    compare(breaches, "xml test cases", got["names"], [c["id"] for c in report["criteria"]])
    compare(breaches, "xml results", got["results"], [read.JUNIT_RESULT[c["verdict"]] for c in report["criteria"]])
    for key, result in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        compare(breaches, f"xml {key}", got["counts"][key], got["results"].count(result))
    compare(breaches, "xml tests", got["counts"]["tests"], len(got["names"]))
    for c, text in zip(report["criteria"], got["texts"]):
        compare(breaches, f"xml {c['id']} names its findings", [i for i in re.findall(r"^(F\d+) ", text, re.M)],
                [f["id"] for f in report["findings"] if f["id"] in c["findings"]])


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def check_numbers(what, got, wanted, breaches):
    compare(breaches, f"{what} samples", sorted(got), sorted(wanted))
    for key in set(got) & set(wanted):
        if not near(got[key], wanted[key]):
            breaches.append(f"{what} {key}: {got[key]}, report.json has {wanted[key]}")


def check_prometheus(metrics, report, breaches):
    states = {k[0]: v for k, v in metrics.labelled("railgauge_run_verdict", "verdict").items()}
    compare(breaches, "prom verdict", [k for k, v in states.items() if v == 1], [report["verdict"]])
    compare(breaches, "prom criteria", [k for k, v in metrics.labelled("railgauge_criterion_verdict", "criterion", "verdict").items() if v == 1],
            [(c["id"], c["verdict"]) for c in report["criteria"][:100]])
    check_numbers("prom findings", metrics.labelled("railgauge_findings", "severity"), words.severities(report), breaches)
    findings = report["findings"][: SHOWN["prom"]]
    compare(breaches, "prom findings", list(metrics.labelled("railgauge_finding_info", "finding", "code", "severity", "scope", "place")),
            [(f["id"], f["code"], f["severity"], f["scope"], words.place(f["where"])) for f in findings])
    for family, unit, factor in (("railgauge_finding_rate_bytes_per_second", "bit/s", 1 / 8), ("railgauge_finding_time_seconds", "ns", 1e-9)):
        wanted = {(f["id"], k): f[k]["value"] * factor for f in findings for k in ("measured", "expected") if f.get(k, {}).get("unit") == unit}
        check_numbers(family, metrics.labelled(family, "finding", "figure"), wanted, breaches)
    rails = words.rail_figures(report)
    check_numbers("prom rails", metrics.labelled("railgauge_rail_rate_bytes_per_second", "rail", "statistic"), rails["rate"], breaches)
    check_numbers("prom latency", metrics.labelled("railgauge_rail_latency_seconds", "rail", "statistic"), rails["latency"], breaches)
    coverage = report["coverage"]
    check_numbers("prom endpoints", metrics.labelled("railgauge_endpoints", "state"),
                  {("planned",): coverage["planned"], ("measured",): coverage["measured"]}, breaches)


def breaches_of(texts):
    report, breaches = read.json_report(texts["json"]), []
    for name in ("txt", "md", "html", "xml"):
        got = read.READERS[name](texts[name])
        compare(breaches, f"{name} headline", got["headline"], words.headline(report))
        check_text_output(name, got, report, breaches)
        if name == "xml":
            check_junit(got, report, breaches)
    check_prometheus(read.prometheus(texts["prom"]), report, breaches)
    return breaches


def changes(texts):
    """(output, what, changed text): each must be noticed."""
    report = read.json_report(texts["json"])
    other = "FAIL" if report["verdict"] != "FAIL" else "PASS"
    for name, text in texts.items():
        yield name, "verdict", text.replace(f'verdict="{report["verdict"]}"}} 1', f'verdict="{report["verdict"]}"}} 0') if name == "prom" \
            else text.replace(report["verdict"], other, 1)
        if not report["findings"]:
            continue
        finding = report["findings"][0]
        yield name, "id", text.replace(finding["id"], "F999")
        yield name, "code", text.replace(finding["code"], "rail.fast")
        yield name, "severity", text.replace(finding["severity"], "minor" if finding["severity"] != "minor" else "major")
        if "measured" in finding:
            value = finding["measured"]["value"]
            number = {"json": f'{value:.12g}', "prom": f"{value / 8:.12g}" if finding["measured"]["unit"] == "bit/s" else "0"}
            yield name, "number", text.replace(number.get(name, words.quantity(finding["measured"])), "7 Mbit/s" if name not in number else "7")


def main():
    failed = 0
    for stem in sys.argv[1:]:
        try:
            texts = {name: pathlib.Path(f"{stem}.{name}").read_text() for name in ("json", "txt", "md", "html", "xml", "prom")}
        except OSError as e:
            print(e)
            return 2
        breaches = breaches_of(texts)
        tried = 0
        for name, what, changed in changes(texts):
            if changed == texts[name]:
                continue
            tried += 1
            try:
                noticed = breaches_of({**texts, name: changed})
            except (ValueError, KeyError, SyntaxError, AttributeError) as e:
                noticed = [e]
            if not noticed:
                breaches.append(f"a wrong {what} in .{name} is not noticed")
        print("\n".join(breaches))
        print(f"{stem}: 6 outputs, {len(breaches)} breaches; {tried} planted changes")
        failed += bool(breaches)
    return 1 if failed or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
