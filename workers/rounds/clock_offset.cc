#include "workers/rounds/clock_offset.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

namespace railgauge {
namespace {

constexpr int kTrips = 24;

// By rank: who measures for it. Rank 0 for everyone on its clock.
std::vector<int> spokesmen(const std::vector<std::string>& identities) {
  std::vector<int> of(identities.size());
  std::map<std::string, int> first;
  for (std::size_t r = 0; r < identities.size(); ++r) {
    const int rank = static_cast<int>(r);
    of[r] = identities[r].empty() ? rank : first.emplace(identities[r], rank).first->second;
  }
  return of;
}

Result<void> answer(World& world, const Clock& clock, int peer, Nanos within) {
  for (int i = 0; i < kTrips; ++i) {
    std::array<std::int64_t, 1> message{};
    if (auto r = world.receive(peer, message, within); !r) return r;
    message[0] = clock.now().count();
    if (auto r = world.send(peer, message, within); !r) return r;
  }
  return {};
}

Result<ClockOffset> ask(World& world, const Clock& clock, Nanos within) {
  std::vector<RoundTrip> trips;
  for (int i = 0; i < kTrips; ++i) {
    RoundTrip trip;
    std::array<std::int64_t, 1> message{};
    trip.sent_ns = clock.now().count();
    if (auto r = world.send(0, message, within); !r) return tl::make_unexpected(r.error());
    if (auto r = world.receive(0, message, within); !r) return tl::make_unexpected(r.error());
    trip.back_ns = clock.now().count();
    trip.there_ns = message[0];
    trips.push_back(trip);
  }
  return offset_of(trips);
}

}  // namespace

ClockOffset offset_of(std::span<const RoundTrip> trips) {
  RG_CHECK(!trips.empty());
  const auto best = std::min_element(trips.begin(), trips.end(), [](const RoundTrip& a, const RoundTrip& b) {
    return a.back_ns - a.sent_ns < b.back_ns - b.sent_ns;
  });
  const std::int64_t trip = best->back_ns - best->sent_ns;
  return {best->there_ns - (best->sent_ns + trip / 2), (trip + 1) / 2};
}

std::string clock_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  if (!std::getline(file, boot)) return "";
  std::array<char, 64> space{};
  const ssize_t n = readlink("/proc/self/ns/time", space.data(), space.size());
  return boot + " " + std::string(space.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
}

Result<ClockOffset> measure_clock_offset(World& world, const Clock& clock,
                                         const std::vector<std::string>& identities, Nanos within) {
  const std::vector<int> of = spokesmen(identities);
  const auto me = static_cast<std::size_t>(world.rank());
  ClockOffset mine;
  if (world.rank() == 0) {
    for (std::size_t r = 1; r < of.size(); ++r) {
      if (of[r] != static_cast<int>(r)) continue;
      if (auto done = answer(world, clock, static_cast<int>(r), within); !done)
        return tl::make_unexpected(done.error());
    }
  } else if (of[me] == world.rank()) {
    Result<ClockOffset> measured = ask(world, clock, within);
    if (!measured) return measured;
    mine = *measured;
  }
  // The others of a kernel take over what its spokesman measured.
  if (std::all_of(of.begin(), of.end(), [](int r) { return r == 0; })) return mine;
  Blob bytes(2 * sizeof(std::int64_t));
  std::copy_n(reinterpret_cast<const std::uint8_t*>(&mine.offset_ns), sizeof(std::int64_t), bytes.begin());
  std::copy_n(reinterpret_cast<const std::uint8_t*>(&mine.error_ns), sizeof(std::int64_t),
              bytes.begin() + sizeof(std::int64_t));
  const Result<std::vector<Blob>> all = world.allgather(bytes, within);
  if (!all) return tl::make_unexpected(all.error());
  const Blob& from = (*all)[static_cast<std::size_t>(of[me])];
  if (from.size() != bytes.size())
    return fail(ErrorKind::peer, "clock offset: a rank sent something else; other build?");
  std::copy_n(from.begin(), sizeof(std::int64_t), reinterpret_cast<std::uint8_t*>(&mine.offset_ns));
  std::copy_n(from.begin() + sizeof(std::int64_t), sizeof(std::int64_t),
              reinterpret_cast<std::uint8_t*>(&mine.error_ns));
  return mine;
}

}  // namespace railgauge
