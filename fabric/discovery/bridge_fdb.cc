#include "fabric/discovery/bridge_fdb.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "proto/json.h"

namespace railgauge {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

// One entry, as far as it matters here. A key that does not apply is absent.
struct FdbEntry {
  std::string mac, ifname;
  std::optional<std::string> master, state;
};
template <class V>
void describe(V& v, FdbEntry& e) {
  v("mac", e.mac);
  v("ifname", e.ifname);
  v("master", e.master);
  v("state", e.state);
}

bool is_host_port(const FdbEntry& e) {
  return e.master && e.master->starts_with("leaf") && !e.ifname.starts_with("up") && e.state != "permanent";
}

}  // namespace

Result<std::vector<SwitchPort>> parse_bridge_fdb(std::string_view text) {
  const auto wrong = [](const std::string& why) { return fail(ErrorKind::input, "bridge fdb: " + why); };
  const Result<JsonValue> value = JsonValue::parse(text, kMostBytes);
  if (!value) return wrong(value.error().message);
  std::vector<FdbEntry> entries;
  JsonReader reader(*value);
  reader.take(*value, entries, "");
  if (!reader.error().empty()) return wrong(reader.error());
  std::map<std::string, std::string> leaf_of;
  for (const FdbEntry& e : entries) {
    if (!is_host_port(e)) continue;
    const auto [place, added] = leaf_of.emplace(e.mac, *e.master);
    if (!added && place->second != *e.master) {
      return wrong(fmt::format("{} is on {} and on {}: look again in a second, or two NICs have one address",
                               e.mac, place->second, *e.master));
    }
  }
  std::set<std::pair<std::string, std::string>> sorted;
  for (const auto& [mac, leaf] : leaf_of) sorted.emplace(leaf, mac);
  std::vector<SwitchPort> ports;
  for (const auto& [leaf, mac] : sorted) ports.push_back({leaf, mac});
  return ports;
}

}  // namespace railgauge
