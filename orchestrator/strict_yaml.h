// YAML that people write, read without forgiveness: an unknown, repeated or misshapen key is an error with
// its place.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

// Whole text of a file people write. Errors (input): "FILE: reason" - cannot be read, not a plain file, above
// 1 MiB.
Result<std::string> read_small_file(const std::filesystem::path& path);

// Keeps the first error, "FILE:LINE: KEY: reason"; after it every call does nothing, so that readers need no
// ifs.
class StrictYaml {
 public:
  using Field = std::function<void(const YAML::Node& value, const std::string& key)>;
  using Fields = std::vector<std::pair<std::string, Field>>;

  StrictYaml(std::string file, const std::string& text);
  const YAML::Node& root() const { return root_; }
  const std::optional<Error>& error() const { return error_; }
  std::string place(const YAML::Node& node) const;  // "FILE:LINE"
  void wrong(const YAML::Node& at, const std::string& key, const std::string& reason);

  // Calls the field of every key of the map. key: path so far, "" at the top. An absent key calls nothing.
  void map(const YAML::Node& node, const std::string& key, const Fields& fields);
  // Calls each element with key "KEY[3]". At most 10 000.
  void list(const YAML::Node& node, const std::string& key, const Field& element);

  void text(const YAML::Node& node, const std::string& key, std::string& out);
  void texts(const YAML::Node& node, const std::string& key, std::vector<std::string>& out);
  void flag(const YAML::Node& node, const std::string& key, bool& out);
  void number(const YAML::Node& node, const std::string& key, double lowest, double highest, double& out);
  void whole(const YAML::Node& node, const std::string& key, std::int64_t lowest, std::int64_t highest,
             std::int64_t& out);
  void size(const YAML::Node& node, const std::string& key, Bytes& out);
  void duration(const YAML::Node& node, const std::string& key, Nanos& out);
  void rate(const YAML::Node& node, const std::string& key, BitRate& out);

 private:
  std::optional<std::string> scalar(const YAML::Node& node, const std::string& key, const char* wanted);
  std::string file_;
  YAML::Node root_;
  std::optional<Error> error_;
};

}  // namespace railgauge
