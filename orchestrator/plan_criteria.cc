#include "orchestrator/plan_criteria.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/diagnose/criteria.h"

namespace railgauge {
namespace {

constexpr std::size_t kLongestId = 60;

bool is_id(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestId && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), fits);
}

// One of the words that all_values() lists.
template <class E>
void read_word(StrictYaml& yaml, const YAML::Node& node, const std::string& key, E& out) {
  std::string text, known;
  yaml.text(node, key, text);
  for (const E e : all_values(E{})) {
    known += (known.empty() ? "" : ", ") + std::string(to_text(e));
    if (text != to_text(e)) continue;
    out = e;
    return;
  }
  yaml.wrong(node, key, fmt::format("'{}' is none of {}", text, known));
}

void read_missed(StrictYaml& yaml, const YAML::Node& node, const std::string& key, Verdict& out) {
  std::string text;
  yaml.text(node, key, text);
  if (text != "fail" && text != "warn")
    yaml.wrong(node, key, fmt::format("'{}' is none of fail, warn", text));
  out = text == "warn" ? Verdict::warn : Verdict::fail;
}

// A rate is held from below, a time from above: the other way round is a slip of the pen.
void read_limit(StrictYaml& yaml, const YAML::Node& node, const std::string& key, const Case& c,
                StatedCriterion& out) {
  const char* right = c.unit == "ns" ? "at_most" : "at_least";
  const char* wrong = c.unit == "ns" ? "at_least" : "at_most";
  if (node[wrong].IsDefined()) {
    return yaml.wrong(node[wrong], key + "." + wrong,
                      fmt::format("{} is measured in {}: write {}", c.id, c.unit, right));
  }
  if (!node[right].IsDefined())
    return yaml.wrong(node, key + "." + right, "missing: the limit with its unit");
  Nanos time;
  BitRate rate;
  if (c.unit == "ns") {
    yaml.duration(node[right], key + "." + right, time);
  } else {
    yaml.rate(node[right], key + "." + right, rate);
  }
  out.bound = c.unit == "ns" ? Bound::at_most : Bound::at_least;
  out.limit = {c.unit == "ns" ? static_cast<double>(time.count()) : rate.bps(), std::string(c.unit)};
  if (out.limit.value <= 0) yaml.wrong(node[right], key + "." + right, "a limit above 0 is expected");
}

void check_size(StrictYaml& yaml, const YAML::Node& node, const std::string& key, const PlanCase& planned,
                const StatedCriterion& c) {
  const auto& sizes = planned.sizes_bytes;
  if (c.size_bytes == 0 && sizes.size() > 1)
    return yaml.wrong(node, key + ".size", fmt::format("missing: {} has {} sizes", c.case_id, sizes.size()));
  if (c.size_bytes == 0 || std::find(sizes.begin(), sizes.end(), c.size_bytes) != sizes.end()) return;
  yaml.wrong(
      node["size"], key + ".size",
      fmt::format("{} is not measured: add it to sizes of {}", to_text(Bytes::b(c.size_bytes)), c.case_id));
}

void check_statistic(StrictYaml& yaml, const YAML::Node& node, const std::string& key, const Case& c,
                     Statistic statistic) {
  const bool fits = c.unit == "ns" ? statistic != Statistic::goodput : statistic != Statistic::p99;
  if (!fits) {
    yaml.wrong(node["statistic"], key + ".statistic",
               fmt::format("{} of {} is not measured: {} or median", to_text(statistic), c.id,
                           c.unit == "ns" ? "p99" : "goodput"));
  }
}

void check_id(StrictYaml& yaml, const YAML::Node& node, const std::string& key, const Plan& plan,
              const std::string& id) {
  if (!is_id(id))
    return yaml.wrong(node, key,
                      fmt::format("'{}': small letters, digits, dots and underscores, 60 at most", id));
  if (is_built_in_criterion(id)) return yaml.wrong(node, key, id + " is a built-in criterion: another id");
  for (const StatedCriterion& before : plan.gates.stated) {
    if (before.id == id) yaml.wrong(node, key, id + " is given twice");
  }
}

}  // namespace

void read_criterion(StrictYaml& yaml, const YAML::Node& node, const std::string& key, Plan& plan) {
  StatedCriterion out;
  bool statistic = false;
  yaml.map(node, key,
           {{"id", [&](auto& n, auto& k) { yaml.text(n, k, out.id); }},
            {"case", [&](auto& n, auto& k) { yaml.text(n, k, out.case_id); }},
            {"size",
             [&](auto& n, auto& k) {
               Bytes size;
               yaml.size(n, k, size);
               if (size.count() == 0) yaml.wrong(n, k, "impossible size: 1 B at least");
               out.size_bytes = size.count();
             }},
            {"statistic",
             [&](auto& n, auto& k) {
               read_word(yaml, n, k, out.statistic);
               statistic = true;
             }},
            {"flow", [&](auto& n, auto& k) { read_word(yaml, n, k, out.flow); }},
            {"missed", [&](auto& n, auto& k) { read_missed(yaml, n, k, out.missed); }},
            {"at_least", [](auto&, auto&) {}},
            {"at_most", [](auto&, auto&) {}}});
  if (yaml.error()) return;
  for (const char* needed : {"id", "case"}) {
    if (!node[needed].IsDefined()) return yaml.wrong(node, key + "." + needed, "missing");
  }
  const auto planned = std::find_if(plan.cases.begin(), plan.cases.end(),
                                    [&](const PlanCase& c) { return c.case_id == out.case_id; });
  if (planned == plan.cases.end()) {
    return yaml.wrong(node["case"], key + ".case",
                      fmt::format("'{}' is not among the cases of this plan", out.case_id));
  }
  const Case& c = *find_case(planned->case_id);
  if (!statistic) out.statistic = c.unit == "ns" ? Statistic::median : Statistic::goodput;
  check_id(yaml, node["id"], key + ".id", plan, out.id);
  check_size(yaml, node, key, *planned, out);
  check_statistic(yaml, node, key, c, out.statistic);
  read_limit(yaml, node, key, c, out);
  if (planned->repeats < kQuotedRepeats) {
    yaml.wrong(node["case"], key + ".case",
               fmt::format("{} has {} repeats: a number that a criterion quotes needs {}", out.case_id,
                           planned->repeats, kQuotedRepeats));
  }
  out.from = "plan " + yaml.place(node);
  plan.gates.stated.push_back(std::move(out));
}

}  // namespace railgauge
