#include "orchestrator/strict_yaml.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace railgauge {
namespace {

constexpr std::uintmax_t kMostBytes = 1U << 20U;
constexpr std::size_t kMostElements = 10'000;

std::string join(const std::string& key, const std::string& name) {
  return key.empty() ? name : key + "." + name;
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (ec || !std::filesystem::exists(status)) {
    return fail(ErrorKind::input, fmt::format("{}: no such file", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return fail(ErrorKind::input, fmt::format("{}: not a file", path.string()));
  }
  const auto size = std::filesystem::file_size(path, ec);
  if (ec || size > kMostBytes) {
    return fail(ErrorKind::input,
                fmt::format("{}: larger than 1 MiB: not a file that people write", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(ErrorKind::input, fmt::format("{}: cannot be read", path.string()));
  return text.str();
}

StrictYaml::StrictYaml(std::string file, const std::string& text) : file_(std::move(file)) {
  try {
    root_ = YAML::Load(text);
  } catch (const YAML::Exception& e) {
    error_ = Error{ErrorKind::input, fmt::format("{}:{}: not YAML: {}", file_, e.mark.line + 1, e.msg)};
  }
}

std::string StrictYaml::place(const YAML::Node& node) const {
  return fmt::format("{}:{}", file_, std::max(0, node.Mark().line) + 1);
}

void StrictYaml::wrong(const YAML::Node& at, const std::string& key, const std::string& reason) {
  if (error_) return;
  error_ =
      Error{ErrorKind::input, fmt::format("{}: {}: {}", place(at), key.empty() ? "whole file" : key, reason)};
}

void StrictYaml::map(const YAML::Node& node, const std::string& key, const Fields& fields) {
  if (error_) return;
  if (!node.IsMap()) return wrong(node, key, "a list of KEY: VALUE lines is expected");
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (error_) return;
    if (!entry.first.IsScalar()) return wrong(entry.first, key, "a key must be a word");
    const std::string name = entry.first.Scalar();
    if (!seen.insert(name).second) return wrong(entry.first, join(key, name), "given twice");
    const Field* field = nullptr;
    std::string known;
    for (const auto& [word, call] : fields) {
      known += (known.empty() ? "" : ", ") + word;
      if (word == name) field = &call;
    }
    if (field == nullptr) return wrong(entry.first, join(key, name), "unknown key; known here: " + known);
    (*field)(entry.second, join(key, name));
  }
}

void StrictYaml::list(const YAML::Node& node, const std::string& key, const Field& element) {
  if (error_) return;
  if (!node.IsSequence()) return wrong(node, key, "a list is expected");
  if (node.size() > kMostElements) return wrong(node, key, "more than 10000 elements");
  for (std::size_t i = 0; i < node.size() && !error_; ++i) element(node[i], fmt::format("{}[{}]", key, i));
}

std::optional<std::string> StrictYaml::scalar(const YAML::Node& node, const std::string& key,
                                              const char* wanted) {
  if (error_) return std::nullopt;
  if (node.IsScalar()) return node.Scalar();
  wrong(node, key, fmt::format("{} is expected", wanted));
  return std::nullopt;
}

void StrictYaml::text(const YAML::Node& node, const std::string& key, std::string& out) {
  if (auto s = scalar(node, key, "text")) {
    if (s->size() > 4096) return wrong(node, key, "longer than 4096 characters");
    out = std::move(*s);
  }
}

void StrictYaml::texts(const YAML::Node& node, const std::string& key, std::vector<std::string>& out) {
  list(node, key, [&](const YAML::Node& element, const std::string& where) {
    std::string s;
    text(element, where, s);
    if (!error_ && s.empty()) wrong(element, where, "empty text");
    out.push_back(std::move(s));
  });
}

void StrictYaml::flag(const YAML::Node& node, const std::string& key, bool& out) {
  const auto s = scalar(node, key, "true or false");
  if (!s) return;
  if (*s != "true" && *s != "false")
    return wrong(node, key, fmt::format("'{}': true or false is expected", *s));
  out = *s == "true";
}

void StrictYaml::number(const YAML::Node& node, const std::string& key, double lowest, double highest,
                        double& out) {
  const auto s = scalar(node, key, "a number");
  if (!s) return;
  double value = 0;
  if (!YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
    return wrong(node, key, fmt::format("'{}' is no number", *s));
  }
  if (value < lowest || value > highest) {
    return wrong(node, key, fmt::format("{} is outside {} to {}", *s, lowest, highest));
  }
  out = value;
}

void StrictYaml::whole(const YAML::Node& node, const std::string& key, std::int64_t lowest,
                       std::int64_t highest, std::int64_t& out) {
  const auto s = scalar(node, key, "a whole number");
  if (!s) return;
  std::int64_t value = 0;
  if (!YAML::convert<std::int64_t>::decode(node, value)) {
    return wrong(node, key, fmt::format("'{}' is no whole number", *s));
  }
  if (value < lowest || value > highest) {
    return wrong(node, key, fmt::format("{} is outside {} to {}", value, lowest, highest));
  }
  out = value;
}

void StrictYaml::size(const YAML::Node& node, const std::string& key, Bytes& out) {
  const auto s = scalar(node, key, "a size");
  if (!s) return;
  const auto value = parse_size(*s);
  if (!value) return wrong(node, key, value.error().message);
  out = *value;
}

void StrictYaml::duration(const YAML::Node& node, const std::string& key, Nanos& out) {
  const auto s = scalar(node, key, "a duration");
  if (!s) return;
  const auto value = parse_duration(*s);
  if (!value) return wrong(node, key, value.error().message);
  out = *value;
}

void StrictYaml::rate(const YAML::Node& node, const std::string& key, BitRate& out) {
  const auto s = scalar(node, key, "a rate");
  if (!s) return;
  const auto value = parse_rate(*s);
  if (!value) return wrong(node, key, value.error().message);
  out = *value;
}

}  // namespace railgauge
