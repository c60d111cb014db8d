#include "proto/json.h"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

namespace railgauge {

void JsonWriter::open(char c) {
  out_ += c;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char c) {
  --depth_;
  if (!first_ && indent_ > 0) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * depth_), ' ');
  }
  out_ += c;
  first_ = false;
}

void JsonWriter::next() {
  if (!first_) out_ += ',';
  first_ = false;
  if (indent_ > 0) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * depth_), ' ');
  }
}

namespace {

// Length of the well-formed UTF-8 sequence of two bytes or more at the front; 0: there is none (RFC 3629: no
// overlong forms, no surrogates).
std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xc0U) == 0x80U; };
  const unsigned a = at(0), b = at(1);
  if (!tail(1)) return 0;
  if (a >= 0xc2 && a <= 0xdf) return 2;
  if (!tail(2)) return 0;
  if ((a == 0xe0 && b >= 0xa0) || (a >= 0xe1 && a <= 0xef && a != 0xed) || (a == 0xed && b <= 0x9f)) return 3;
  if (!tail(3)) return 0;
  if ((a == 0xf0 && b >= 0x90) || (a >= 0xf1 && a <= 0xf3) || (a == 0xf4 && b <= 0x8f)) return 4;
  return 0;
}

}  // namespace

// '<' is escaped too, so that no text can end a <script> block of the page that carries it. What is not UTF-8
// (a driver's text, a kernel command line) becomes U+FFFD: a report that no parser takes would be worse.
void JsonWriter::string(std::string_view s) {
  out_ += '"';
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x80) {
      const std::size_t n = utf8_length(s.substr(i));
      out_ += n > 0 ? s.substr(i, n) : std::string_view("\xef\xbf\xbd");
      i += n > 0 ? n - 1 : 0;
      continue;
    }
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (u < 0x20 || c == '<' || u == 0x7f) {
      out_ += fmt::format("\\u{:04x}", u);
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonWriter::number(double d) {
  RG_CHECK(std::isfinite(d));
  out_ += fmt::format("{}", d);
}

struct JsonValue::Document {
  nlohmann::json root;
};

namespace {

const nlohmann::json& node(const void* p) { return *static_cast<const nlohmann::json*>(p); }

}  // namespace

Result<JsonValue> JsonValue::parse(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes)
    return fail(ErrorKind::input, fmt::format("JSON text over {} bytes", max_bytes));
  int depth = 0;
  bool too_deep = false;
  const auto bound = [&](int, nlohmann::json::parse_event_t event, nlohmann::json&) {
    using E = nlohmann::json::parse_event_t;
    // False throws the value away: what is too deep is never built.
    if (too_deep) return false;
    if (event == E::object_start || event == E::array_start) too_deep = ++depth > 64;
    if (event == E::object_end || event == E::array_end) --depth;
    return true;
  };
  auto document = std::make_shared<Document>();
  try {
    document->root = nlohmann::json::parse(text.begin(), text.end(), bound);
  } catch (const nlohmann::json::exception& e) {
    std::string what = e.what();
    const auto cut = what.find("parse error at ");
    return fail(ErrorKind::input, "not JSON: " + (cut == std::string::npos ? what : what.substr(cut)));
  }
  if (too_deep) return fail(ErrorKind::input, "JSON nested deeper than 64");
  JsonValue v;
  v.node_ = &document->root;
  v.document_ = std::move(document);
  return v;
}

bool JsonValue::is_null() const { return node(node_).is_null(); }

std::optional<bool> JsonValue::boolean() const {
  if (!node(node_).is_boolean()) return std::nullopt;
  return node(node_).get<bool>();
}

std::optional<std::int64_t> JsonValue::integer() const {
  const auto& n = node(node_);
  if (n.is_number_unsigned() && !std::in_range<std::int64_t>(n.get<std::uint64_t>())) return std::nullopt;
  if (!n.is_number_integer()) return std::nullopt;
  return n.get<std::int64_t>();
}

std::optional<std::uint64_t> JsonValue::unsigned_integer() const {
  const auto& n = node(node_);
  if (!n.is_number_integer() || (!n.is_number_unsigned() && n.get<std::int64_t>() < 0)) return std::nullopt;
  return n.get<std::uint64_t>();
}

std::optional<double> JsonValue::number() const {
  if (!node(node_).is_number()) return std::nullopt;
  return node(node_).get<double>();
}

std::optional<std::string> JsonValue::string() const {
  if (!node(node_).is_string()) return std::nullopt;
  return node(node_).get<std::string>();
}

std::optional<std::size_t> JsonValue::array_size() const {
  if (!node(node_).is_array()) return std::nullopt;
  return node(node_).size();
}

JsonValue JsonValue::at(std::size_t i) const {
  RG_CHECK(node(node_).is_array() && i < node(node_).size());
  JsonValue v;
  v.document_ = document_;
  v.node_ = &node(node_)[i];
  return v;
}

bool JsonValue::is_object() const { return node(node_).is_object(); }

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> out;
  if (is_object()) {
    for (const auto& item : node(node_).items()) out.push_back(item.key());
  }
  return out;
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
  if (!is_object()) return std::nullopt;
  const auto it = node(node_).find(key);
  if (it == node(node_).end()) return std::nullopt;
  JsonValue v;
  v.document_ = document_;
  v.node_ = &*it;
  return v;
}

}  // namespace railgauge
