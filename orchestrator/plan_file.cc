// Plans as people write them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "orchestrator/plan.h"
#include "orchestrator/plan_criteria.h"
#include "orchestrator/strict_yaml.h"

namespace railgauge {
namespace {

constexpr Bytes kLargestMessage = Bytes::mib(1024);
constexpr Nanos kShortestBox = Nanos::ms(50);  // below, no window of 50 completions fits
constexpr Nanos kLongestBox = Nanos::s(600);
constexpr Nanos kShortestRun = Nanos::s(10);
constexpr Nanos kLongestRun = Nanos::s(7 * 86400);
constexpr std::int64_t kMostRepeats = 1000;

void duration_in(StrictYaml& yaml, const YAML::Node& n, const std::string& key, Nanos lowest, Nanos highest,
                 std::int64_t& out) {
  Nanos value;
  yaml.duration(n, key, value);
  if (value < lowest || value > highest) {
    yaml.wrong(n, key, fmt::format("{} is outside {} to {}", n.Scalar(), to_text(lowest), to_text(highest)));
  }
  out = value.count();
}

void read_sizes(StrictYaml& yaml, const YAML::Node& node, const std::string& key, PlanCase& out) {
  std::set<std::uint64_t> seen;
  yaml.list(node, key, [&](const YAML::Node& n, const std::string& k) {
    Bytes size;
    yaml.size(n, k, size);
    if (size.count() == 0) return yaml.wrong(n, k, "impossible size: 1 B at least");
    if (size > kLargestMessage) return yaml.wrong(n, k, "impossible size: 1 GiB at most");
    if (!seen.insert(size.count()).second) return yaml.wrong(n, k, n.Scalar() + " is given twice");
    out.sizes_bytes.push_back(size.count());
  });
  if (node.IsSequence() && node.size() == 0)
    yaml.wrong(node, key, "no sizes: leave the key out for the default");
}

// Does one of the criteria, as written, name this case?
bool quotes(const YAML::Node& criteria, const std::string& case_id) {
  if (!criteria.IsDefined() || !criteria.IsSequence()) return false;
  return std::any_of(criteria.begin(), criteria.end(), [&](const YAML::Node& c) {
    return c.IsMap() && c["case"].IsDefined() && c["case"].IsScalar() && c["case"].Scalar() == case_id;
  });
}

void read_case(StrictYaml& yaml, const YAML::Node& node, const std::string& key, const YAML::Node& criteria,
               Plan& plan) {
  if (!node.IsMap() || !node["case"] || !node["case"].IsScalar()) {
    return yaml.wrong(node, key + ".case", "missing: each case is a list of KEY: VALUE lines with its id");
  }
  const std::string id = node["case"].Scalar();
  const Case* c = find_case(id);
  if (c == nullptr) {
    return yaml.wrong(node["case"], key + ".case", fmt::format("'{}' is no case: see railgauge list", id));
  }
  PlanCase out = default_plan_case(*c);
  if (quotes(criteria, id)) out.repeats = std::max(out.repeats, kQuotedRepeats);
  const auto repeats = [&](const YAML::Node& n, const std::string& k) {
    std::int64_t value = 1;
    yaml.whole(n, k, 1, kMostRepeats, value);
    out.repeats = static_cast<std::int32_t>(value);
  };
  const auto pairs = [&](const YAML::Node& n, const std::string& k) {
    yaml.text(n, k, out.pairs);
    const auto pairing = parse_pairing(out.pairs);
    if (!pairing) yaml.wrong(n, k, pairing.error().message);
  };
  yaml.map(
      node, key,
      {{"case", [](auto&, auto&) {}},
       {"sizes", [&](auto& n, auto& k) { read_sizes(yaml, n, k, out); }},
       {"repeats", repeats},
       {"box", [&](auto& n, auto& k) { duration_in(yaml, n, k, kShortestBox, kLongestBox, out.box_ns); }},
       {"pairs", pairs}});
  for (const PlanCase& before : plan.cases) {
    if (before.case_id == id)
      yaml.wrong(node["case"], key + ".case", id + " is given twice: list its sizes in one");
  }
  plan.cases.push_back(std::move(out));
}

void read_gates(StrictYaml& yaml, const YAML::Node& node, const std::string& key, Gates& gates) {
  const auto share = [&yaml](double& out) {
    return [&yaml, &out](const YAML::Node& n, const std::string& k) { yaml.number(n, k, 0, 1, out); };
  };
  const auto count = [&yaml](int& out, std::int64_t lowest) {
    return [&yaml, &out, lowest](const YAML::Node& n, const std::string& k) {
      std::int64_t value = lowest;
      yaml.whole(n, k, lowest, 1000, value);
      out = static_cast<int>(value);
    };
  };
  yaml.map(node, key,
           {{"model_warn", share(gates.model_warn)},
            {"model_fail", share(gates.model_fail)},
            {"peer_floor", share(gates.peer_floor)},
            {"peer_sigmas", [&](auto& n, auto& k) { yaml.number(n, k, 1, 100, gates.peer_sigmas); }},
            {"peer_fail", share(gates.peer_fail)},
            {"peer_members", count(gates.peer_members, 3)},
            {"coverage", share(gates.coverage)},
            {"confirm_repeats", count(gates.confirm_repeats, 1)}});
  if (gates.model_fail > gates.model_warn) {
    // The one that was written is to blame; the other has its default.
    const char* blamed = node["model_fail"] ? "model_fail" : "model_warn";
    yaml.wrong(node[blamed], key + "." + blamed,
               fmt::format("model_fail {} is above model_warn {}", gates.model_fail, gates.model_warn));
  }
}

bool is_plain_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

PlanCase default_plan_case(const Case& c) {
  PlanCase out;
  out.case_id = std::string(c.id);
  out.repeats = c.default_repeats;
  out.box_ns = c.default_box.count();
  return out;
}

Result<Plan> parse_plan(const std::string& text, const std::string& file) {
  StrictYaml yaml(file, text);
  Plan plan;
  plan.name = file;
  plan.time_box_ns = Nanos::s(15 * 60).count();
  const YAML::Node criteria =
      yaml.root().IsMap() ? yaml.root()["criteria"] : YAML::Node(YAML::NodeType::Undefined);
  const auto seed = [&](const YAML::Node& n, const std::string& k) {
    std::int64_t value = 1;
    yaml.whole(n, k, 0, INT64_MAX, value);
    plan.seed = static_cast<std::uint64_t>(value);
  };
  yaml.map(yaml.root(), "",
           {{"name",
             [&](auto& n, auto& k) {
               yaml.text(n, k, plan.name);
               if (!is_plain_name(plan.name))
                 yaml.wrong(n, k, "1 to 64 visible ASCII characters are expected");
             }},
            {"time_box",
             [&](auto& n, auto& k) { duration_in(yaml, n, k, kShortestRun, kLongestRun, plan.time_box_ns); }},
            {"seed", seed},
            {"cases",
             [&](auto& n, auto& k) {
               yaml.list(n, k, [&](auto& e, auto& w) { read_case(yaml, e, w, criteria, plan); });
             }},
            {"gates", [&](auto& n, auto& k) { read_gates(yaml, n, k, plan.gates); }},
            {"criteria", [](auto&, auto&) {}}});
  if (plan.cases.empty()) yaml.wrong(yaml.root(), "cases", "missing: nothing to measure");
  // They quote the cases, wherever they stand in the file.
  if (criteria.IsDefined() && !yaml.error())
    yaml.list(criteria, "criteria", [&](auto& n, auto& k) { read_criterion(yaml, n, k, plan); });
  if (yaml.error()) return tl::make_unexpected(*yaml.error());
  return plan;
}

Result<Plan> find_plan(const std::string& name_or_path) {
  if (name_or_path.find('/') == std::string::npos && name_or_path.find('.') == std::string::npos) {
    return built_in_plan(name_or_path);
  }
  const auto text = read_small_file(name_or_path);
  if (!text) return tl::make_unexpected(text.error());
  return parse_plan(*text, name_or_path);
}

}  // namespace railgauge
