#include "orchestrator/host_file.h"

#include <fmt/format.h>

#include <map>

#include "orchestrator/strict_yaml.h"

namespace railgauge {
namespace {

constexpr std::size_t kMostHosts = 20'000;
constexpr std::size_t kLongestName = 253;  // of a DNS name

bool alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "" or what is wrong. A name reaches argument vectors of ssh and mpirun: a leading '-' would be an option
// there.
std::string name_fault(std::string_view name) {
  if (name.size() > kLongestName) return "longer than 253 characters";
  if (!alphanumeric(name.front())) return "a host name starts with a letter or digit";
  for (const char c : name) {
    if (!alphanumeric(c) && c != '-' && c != '.' && c != '_') {
      return fmt::format("character '{}' is in no host name",
                         c >= 0x20 && c < 0x7f ? std::string(1, c)
                                               : fmt::format("\\x{:02x}", static_cast<unsigned char>(c)));
    }
  }
  return "";
}

// One spelling of a name: DNS does not tell case, nor a dot at the end.
std::string canonical(std::string_view name) {
  std::string out(name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0)));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// What is printed of a faulty name: bounded and without control characters.
std::string shown(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 40)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

}  // namespace

Result<std::vector<HostLine>> parse_hosts(std::string_view text, const std::string& file) {
  std::vector<HostLine> hosts;
  std::map<std::string, int, std::less<>> seen;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    const auto wrong = [&](const std::string& reason) {
      return fail(ErrorKind::input, fmt::format("{}:{}: {}: {}", file, number, shown(line), reason));
    };
    if (line.find_first_of(" \t") != std::string_view::npos)
      return wrong("one host name a line, and nothing else");
    if (const std::string fault = name_fault(line); !fault.empty()) return wrong(fault);
    if (const auto before = seen.find(canonical(line)); before != seen.end()) {
      return wrong(fmt::format("given twice, first on line {}", before->second));
    }
    if (hosts.size() == kMostHosts) return wrong("more than 20000 hosts");
    seen.emplace(canonical(line), number);
    hosts.push_back({std::string(line), number});
  }
  if (hosts.empty())
    return fail(ErrorKind::input, fmt::format("{}: no hosts: write one host name a line", file));
  return hosts;
}

Result<std::vector<HostLine>> read_host_file(const std::filesystem::path& path) {
  const auto text = read_small_file(path);
  if (!text) return tl::make_unexpected(text.error());
  return parse_hosts(*text, path.string());
}

}  // namespace railgauge
