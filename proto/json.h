// JSON of our own structs. A struct says its fields once, in a free function beside it:
//
//   template <class V> void describe(V& v, Limits& l) { v("memlock_bytes", l.memlock_bytes); v("nofile", l.nofile); }
//
// Writer and reader both walk that function, so keys, order and types have one home. Rules (DESIGN section 4):
// numbers are numbers, 0 is written, absent = not measured (std::optional), keys in fixed order, same value same bytes.
// An enum is text: give it `std::string_view to_text(E)` and `std::span<const E> all_values(E)`.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "proto/result.h"

namespace railgauge {

class JsonWriter {
 public:
  // indent 0: one line. The text ends without newline.
  explicit JsonWriter(int indent) : indent_(indent) {}
  template <class T>
  void value(const T& t);
  template <class T>
  void operator()(const char* key, T& field) {
    if constexpr (requires { field.has_value(); *field; }) {
      if (field.has_value()) member(key, *field);
    } else {
      member(key, field);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void member(const char* key, const T& field) {
    next();
    string(key);
    out_ += indent_ > 0 ? ": " : ":";
    value(field);
  }
  void open(char c);
  void close(char c);
  void next();  // comma and newline before a member or element
  void string(std::string_view s);
  void number(double d);  // shortest text that reads back equal; not finite is a bug
  int indent_;
  int depth_ = 0;
  bool first_ = true;
  std::string out_;
};

// A parsed JSON text. Copying shares it.
class JsonValue {
 public:
  // Errors (input): not JSON, with line and column; deeper than 64; larger than max_bytes.
  static Result<JsonValue> parse(std::string_view text, std::size_t max_bytes = std::size_t{1} << 30U);
  bool is_null() const;
  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer() const;    // a whole number that fits
  std::optional<std::uint64_t> unsigned_integer() const;
  std::optional<double> number() const;
  std::optional<std::string> string() const;
  std::optional<std::size_t> array_size() const;  // absent: not an array
  JsonValue at(std::size_t i) const;
  bool is_object() const;
  std::vector<std::string> keys() const;
  std::optional<JsonValue> find(const std::string& key) const;

 private:
  struct Document;
  std::shared_ptr<const Document> document_;
  const void* node_ = nullptr;
};

class JsonReader {
 public:
  explicit JsonReader(JsonValue value) : value_(std::move(value)) {}
  // A missing key of a non-optional field is an error; keys nobody asked for are ignored (newer minor format).
  template <class T>
  void operator()(const char* key, T& field) {
    if (!error_.empty()) return;
    const std::optional<JsonValue> v = value_.find(key);
    if (!v || v->is_null()) {
      if constexpr (!requires { field.has_value(); *field; }) error_ = std::string(key) + ": missing";
      return;
    }
    if constexpr (requires { field.has_value(); *field; }) {
      field.emplace();
      take(*v, *field, key);
    } else {
      take(*v, field, key);
    }
  }
  template <class T>
  void take(const JsonValue& v, T& out, const std::string& where);
  const std::string& error() const { return error_; }

 private:
  void wrong(const std::string& where, const char* wanted) {
    if (error_.empty()) error_ = where + ": " + wanted + " expected";
  }
  JsonValue value_;
  std::string error_;
};

template <class T>
std::string to_json(const T& t, int indent = 2) {
  JsonWriter w(indent);
  w.value(t);
  return w.take();
}

// Errors (input): "KEY.KEY[3]: number expected", no file name: the caller adds it.
template <class T>
Result<T> from_json(std::string_view text) {
  Result<JsonValue> v = JsonValue::parse(text);
  if (!v) return tl::make_unexpected(v.error());
  T t{};
  JsonReader r(*v);
  r.take(*v, t, "");
  if (!r.error().empty()) return fail(ErrorKind::input, r.error());
  return t;
}

template <class T>
void JsonWriter::value(const T& t) {
  if constexpr (std::is_same_v<T, bool>) {
    out_ += t ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    string(to_text(t));
  } else if constexpr (std::is_integral_v<T>) {
    out_ += std::to_string(t);
  } else if constexpr (std::is_floating_point_v<T>) {
    number(t);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    string(t);
  } else if constexpr (requires { t.begin(); t.end(); }) {
    open('[');
    for (const auto& e : t) {
      next();
      value(e);
    }
    close(']');
  } else {
    open('{');
    describe(*this, const_cast<T&>(t));  // describe reads here; one function serves both directions
    close('}');
  }
}

template <class T>
void JsonReader::take(const JsonValue& v, T& out, const std::string& where) {
  if constexpr (std::is_same_v<T, bool>) {
    if (const auto b = v.boolean()) out = *b; else wrong(where, "true or false");
  } else if constexpr (std::is_enum_v<T>) {
    const auto s = v.string();
    if (!s) return wrong(where, "text");
    for (const T e : all_values(T{})) {
      if (to_text(e) == *s) {
        out = e;
        return;
      }
    }
    wrong(where, "one of the known words");
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const auto i = v.integer();
    if (i && std::in_range<T>(*i)) out = static_cast<T>(*i); else wrong(where, "whole number in range");
  } else if constexpr (std::is_integral_v<T>) {
    const auto i = v.unsigned_integer();
    if (i && std::in_range<T>(*i)) out = static_cast<T>(*i); else wrong(where, "whole number, not negative,");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (const auto d = v.number()) out = *d; else wrong(where, "number");
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (auto s = v.string()) out = std::move(*s); else wrong(where, "text");
  } else if constexpr (requires { out.emplace_back(); }) {
    const auto n = v.array_size();
    if (!n) return wrong(where, "list");
    for (std::size_t i = 0; i < *n && error_.empty(); ++i) {
      typename T::value_type e{};
      take(v.at(i), e, where + "[" + std::to_string(i) + "]");
      out.push_back(std::move(e));
    }
  } else {
    if (!v.is_object()) return wrong(where, "object");
    JsonReader inner(v);
    describe(inner, out);
    if (!inner.error().empty() && error_.empty()) error_ = where.empty() ? inner.error() : where + "." + inner.error();
  }
}

}  // namespace railgauge
