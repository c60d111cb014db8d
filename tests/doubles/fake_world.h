// The other ranks, scripted: what they say in each collective, and at which call the world breaks.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "workers/rounds/world.h"

namespace railgauge {

class FakeWorld : public World {
 public:
  FakeWorld(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool broken() const override { return broken_; }

  Result<void> barrier(Nanos) override { return call(); }
  Result<void> maximum(std::span<double> values, Nanos within) override {
    last_within = within;
    if (auto ok = call(); !ok) return ok;
    if (!others_say.empty()) {
      const std::vector<double> said = others_say.front();
      others_say.erase(others_say.begin());
      for (std::size_t i = 0; i < values.size() && i < said.size(); ++i)
        values[i] = std::max(values[i], said[i]);
    }
    return {};
  }
  Result<std::vector<Blob>> allgather(const Blob& mine, Nanos) override {
    if (auto ok = call(); !ok) return tl::make_unexpected(ok.error());
    std::vector<Blob> all(static_cast<std::size_t>(size_));
    for (int r = 0; r < size_; ++r)
      all[static_cast<std::size_t>(r)] = r == rank_ || !blob_of ? mine : blob_of(r, mine);
    return all;
  }
  Result<void> send(int, std::span<const std::int64_t> values, Nanos) override {
    sent.insert(sent.end(), values.begin(), values.end());
    return call();
  }
  Result<void> receive(int, std::span<std::int64_t> values, Nanos) override {
    if (auto ok = call(); !ok) return ok;
    for (std::int64_t& v : values) v = answer ? answer() : 0;
    return {};
  }

  int break_at_call = std::numeric_limits<int>::max();  // counts from 0 over all calls
  int calls = 0;
  std::vector<std::vector<double>> others_say;  // one entry per maximum()
  std::function<Blob(int rank, const Blob& mine)> blob_of;
  std::function<std::int64_t()> answer;
  std::vector<std::int64_t> sent;
  Nanos last_within;

 private:
  Result<void> call() {
    if (broken_ || calls++ >= break_at_call) {
      broken_ = true;
      return fail(ErrorKind::deadline, "fake world: broken");
    }
    return {};
  }
  int rank_, size_;
  bool broken_ = false;
};

}  // namespace railgauge
