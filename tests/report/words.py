"""The words of the reports, written a second time from report.json: what fabric/report/words.cc and text.cc should say."""
import math

CRITERION = {"PASS": "met", "WARN": "warning", "FAIL": "NOT MET", "WAIVED": "waived", "INCONCLUSIVE": "not decided"}
TOLERANCE = 0.95


def three_digits(v):
    return f"{v:.0f}" if abs(v) >= 99.95 else f"{v:.1f}" if abs(v) >= 9.995 else f"{v:.2f}"


def rate(bits):
    for unit, factor in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1)):
        if bits / factor >= 0.9995 or factor == 1:
            text = three_digits(bits / factor)
            return (text.rstrip("0").rstrip(".") if "." in text else text) + " " + unit


def time(ns):
    ns = math.floor(ns + 0.5)
    if ns < 1000:
        return f"{ns} ns" if ns else "0 s"
    for limit, factor, unit in ((999.5e3, 1e3, "us"), (999.5e6, 1e6, "ms"), (math.inf, 1e9, "s")):
        if ns < limit:
            return f"{three_digits(ns / factor)} {unit}"


def percent(share):
    p = share * 100 + 1e-9
    return f"{p:.0f} %" if p < 79.5 else f"{math.floor(p * 10) / 10:.1f} %"


def quantity(q):
    return rate(q["value"]) if q["unit"] == "bit/s" else time(q["value"]) if q["unit"] == "ns" else f"{q['value']:.4g} {q['unit']}".strip()


def place(where):
    out = ""
    if "link" in where:
        out = f"{where['link']['a']} - {where['link']['b']}"
    elif "node" in where:
        out = where["node"]
    for key, text, between in (("rail", "rail {}", ", " if "link" in where else " "), ("nic", "{}", ", "), ("gpu", "GPU {}", ", ")):
        if key in where:
            out += (between if out else "") + text.format(where[key])
    return out


def comparison(f):
    parts = [f"{quantity(f[k])} {k}" for k in ("measured", "expected") if k in f]
    if len(parts) == 2 and f["measured"]["unit"] == f["expected"]["unit"] and f["expected"]["value"] > 0:
        ratio = f["measured"]["value"] / f["expected"]["value"]
        parts += {"bit/s": [percent(ratio)], "ns": [f"{ratio:.1f} x"]}.get(f["measured"]["unit"], [])
    return ", ".join(parts)


def facts_line(f):
    where, numbers = place(f["where"]), comparison(f)
    return f["code"] + (f" at {where}" if where else "") + (f": {numbers}" if numbers else "")


def facts(f):
    """The same, in pieces, where a page shows them at several places."""
    return [f["code"], f["severity"], f["scope"], place(f["where"])] + [quantity(f[k]) for k in ("measured", "expected") if k in f]


def attention_first(criteria):
    return [c for c in criteria if c["verdict"] != "PASS"] + [c for c in criteria if c["verdict"] == "PASS"]


def criterion(c, output):
    measured = c["measured"] or "not measured"
    if output == "txt":
        return f"{CRITERION[c['verdict']]} {c['title']}: {measured} (required: {c['required']})"
    if output == "xml":
        return f"{c['verdict']}: {c['title']} required: {c['required']} measured: {measured} from: {c['from']}"
    return "|".join((CRITERION[c["verdict"]], c["title"], c["required"], measured))


def headline(report):
    accept = report["meta"]["plan"].startswith("accept") and not report["simulated"]
    faults = sum(f["severity"] != "note" for f in report["findings"])
    return {"PASS": "Accept" if accept else "No fault found", "WARN": "Accept with remarks" if accept else "Works, with warnings",
            "WAIVED": "Accept with waivers" if accept else "Waived", "INCONCLUSIVE": "Not decided",
            "FAIL": "Do not accept yet" if accept else ("Criteria not met", "Fault found", "Faults found")[min(faults, 2)]}[report["verdict"]]


def severities(report):
    return {(s,): sum(f["severity"] == s for f in report["findings"]) for s in ("critical", "major", "minor", "note")}


def coverage(report, output):
    c = report["coverage"]
    both = f"{c['measured']} of {c['planned']} endpoints, {c['nodes_answered']} of {c['nodes_planned']} nodes"
    return f"{c['measured']} of {c['planned']}" if output == "html" else both


def slower(e):
    rates = [e[k] for k in ("send_bits_per_second", "receive_bits_per_second") if k in e]
    return min(rates) if rates else None


def middle(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def figures(report):
    """Rates and latencies over all endpoints, as terminal and page print them."""
    rates = [r for r in map(slower, report["endpoints"]) if r is not None]
    out = [rate(middle(rates)), rate(min(rates))] if rates else []
    out += [time(f([e[k] for e in report["endpoints"] if k in e])) for f, k in ((middle, "latency_p50_ns"), (max, "latency_p99_ns"))
            if any(k in e for e in report["endpoints"])]
    return out


def rail_figures(report):
    out = {"rate": {}, "latency": {}}
    for rail in {e["rail"] for e in report["endpoints"] if 0 <= e["rail"] < 64}:
        members = [e for e in report["endpoints"] if e["rail"] == rail]
        rates = [r / 8 for r in map(slower, members) if r is not None]
        if rates:
            out["rate"] |= {(str(rail), "median"): middle(rates), (str(rail), "slowest"): min(rates)}
        for key, name, pick in (("latency_p50_ns", "p50", middle), ("latency_p99_ns", "p99", max)):
            times = [e[key] * 1e-9 for e in members if key in e]
            if times:
                out["latency"][str(rail), name] = pick(times)
    return out
