#include "workers/main/mpi_world.h"

#include <fmt/format.h>
#define OMPI_SKIP_MPICXX 1  // the C++ bindings, gone from MPI-3, would need their own library
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace railgauge {
namespace {

constexpr std::size_t kMaxBlobBytes = std::size_t{1} << 20U;
constexpr int kYields = 20;  // then sleep: two cores may carry sixteen ranks
constexpr long kFirstSleepNs = 50'000, kLongestSleepNs = 1'000'000;
constexpr int kTag = 17;

void sleep_ns(long ns) {
  const timespec t{0, ns};
  nanosleep(&t, nullptr);
}

std::string text_of(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(std::max(0, length)));
  return text;
}

}  // namespace

struct MpiWorld::Pending {
  MPI_Request request = MPI_REQUEST_NULL;
};

MpiWorld::MpiWorld(const Clock& clock, std::function<bool()> abandon)
    : clock_(clock), abandon_(std::move(abandon)) {}
MpiWorld::~MpiWorld() = default;

Result<std::unique_ptr<MpiWorld>> MpiWorld::init(int* argc, char*** argv, const Clock& clock,
                                                 std::function<bool()> abandon) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return fail(ErrorKind::environment, "MPI_Init: failed; see what MPI wrote above");
  }
  std::unique_ptr<MpiWorld> world(new MpiWorld(clock, std::move(abandon)));
  // An error is a return code and not the end of the process: this rank's samples have to get out.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &world->rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &world->size_);
  return world;
}

void MpiWorld::finalize() {
  if (!broken_) MPI_Finalize();
}

Result<void> MpiWorld::usable(const char* what) const {
  if (!broken_) return {};
  return fail(ErrorKind::peer, fmt::format("rank {}: {}: the world of ranks is broken", rank_, what));
}

Result<void> MpiWorld::begun(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  broken_ = true;
  return fail(ErrorKind::peer, fmt::format("rank {}: {}: {}", rank_, what, text_of(code)));
}

// On failure the request is left as it is: cancelling would be one more call into a world that no longer
// answers.
Result<void> MpiWorld::wait(Pending& pending, Nanos within, const char* what) {
  const Nanos end = clock_.now() + within;
  long pause = kFirstSleepNs;
  for (int turn = 0;; ++turn) {
    int done = 0;
    if (auto ok = begun(MPI_Test(&pending.request, &done, MPI_STATUS_IGNORE), what); !ok) return ok;
    if (done != 0) return {};
    if (clock_.now() > end) {
      broken_ = true;
      return fail(ErrorKind::deadline,
                  fmt::format("rank {}: {}: not everyone came in {}", rank_, what, to_text(within)));
    }
    if (abandon_()) {
      broken_ = true;
      return fail(ErrorKind::peer,
                  fmt::format("rank {}: {}: given up, a rank of this node is gone", rank_, what));
    }
    if (turn < kYields) {
      sched_yield();
      continue;
    }
    sleep_ns(pause);
    pause = std::min(pause + pause / 2, kLongestSleepNs);
  }
}

Result<void> MpiWorld::barrier(Nanos within) {
  if (auto ok = usable("barrier"); !ok) return ok;
  Pending pending;
  if (auto ok = begun(MPI_Ibarrier(MPI_COMM_WORLD, &pending.request), "barrier"); !ok) return ok;
  return wait(pending, within, "barrier");
}

Result<void> MpiWorld::maximum(std::span<double> values, Nanos within) {
  if (auto ok = usable("agreement"); !ok) return ok;
  // The buffers of a request that never ends must outlive this call: they are given up with the broken world.
  auto in = std::make_unique<std::vector<double>>(values.begin(), values.end());
  auto out = std::make_unique<std::vector<double>>(values.size());
  Pending pending;
  Result<void> ok = begun(MPI_Iallreduce(in->data(), out->data(), static_cast<int>(values.size()), MPI_DOUBLE,
                                         MPI_MAX, MPI_COMM_WORLD, &pending.request),
                          "agreement");
  if (ok) ok = wait(pending, within, "agreement");
  if (ok) {
    std::copy(out->begin(), out->end(), values.begin());
  } else {
    static_cast<void>(in.release());
    static_cast<void>(out.release());
  }
  return ok;
}

Result<std::vector<Blob>> MpiWorld::allgather(const Blob& mine, Nanos within) {
  RG_CHECK(mine.size() <= kMaxBlobBytes);
  if (auto ok = usable("address exchange"); !ok) return tl::make_unexpected(ok.error());
  struct Buffers {
    Blob mine, all;
    int length = 0;
    std::vector<int> lengths, places;
  };
  auto b = std::make_unique<Buffers>();
  b->mine = mine;
  b->length = static_cast<int>(mine.size());
  b->lengths.assign(static_cast<std::size_t>(size_), 0);
  const auto give_up = [&b](const Error& error) {
    static_cast<void>(b.release());  // see maximum()
    return tl::make_unexpected(error);
  };
  Pending pending;
  Result<void> ok = begun(
      MPI_Iallgather(&b->length, 1, MPI_INT, b->lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &pending.request),
      "address exchange");
  if (ok) ok = wait(pending, within, "address exchange");
  if (!ok) return give_up(ok.error());
  std::int64_t total = 0;
  for (const int n : b->lengths) {
    if (n < 0 || static_cast<std::size_t>(n) > kMaxBlobBytes || total + n > std::numeric_limits<int>::max()) {
      broken_ = true;
      return give_up(
          Error{ErrorKind::peer,
                fmt::format("rank {}: address exchange: lengths that cannot be; other build?", rank_)});
    }
    b->places.push_back(static_cast<int>(total));
    total += n;
  }
  b->all.resize(static_cast<std::size_t>(total));
  ok = begun(MPI_Iallgatherv(b->mine.data(), b->length, MPI_BYTE, b->all.data(), b->lengths.data(),
                             b->places.data(), MPI_BYTE, MPI_COMM_WORLD, &pending.request),
             "address exchange");
  if (ok) ok = wait(pending, within, "address exchange");
  if (!ok) return give_up(ok.error());
  std::vector<Blob> all;
  for (std::size_t i = 0; i < b->lengths.size(); ++i) {
    const auto begin = b->all.begin() + b->places[i];
    all.emplace_back(begin, begin + b->lengths[i]);
  }
  return all;
}

Result<void> MpiWorld::send(int to, std::span<const std::int64_t> values, Nanos within) {
  if (auto ok = usable("clock exchange"); !ok) return ok;
  auto out = std::make_unique<std::vector<std::int64_t>>(values.begin(), values.end());
  Pending pending;
  Result<void> ok = begun(MPI_Isend(out->data(), static_cast<int>(out->size()), MPI_INT64_T, to, kTag,
                                    MPI_COMM_WORLD, &pending.request),
                          "clock exchange");
  if (ok) ok = wait(pending, within, "clock exchange");
  if (!ok) static_cast<void>(out.release());
  return ok;
}

Result<void> MpiWorld::receive(int from, std::span<std::int64_t> values, Nanos within) {
  if (auto ok = usable("clock exchange"); !ok) return ok;
  auto in = std::make_unique<std::vector<std::int64_t>>(values.size());
  Pending pending;
  Result<void> ok = begun(MPI_Irecv(in->data(), static_cast<int>(in->size()), MPI_INT64_T, from, kTag,
                                    MPI_COMM_WORLD, &pending.request),
                          "clock exchange");
  if (ok) ok = wait(pending, within, "clock exchange");
  if (ok) {
    std::copy(in->begin(), in->end(), values.begin());
  } else {
    static_cast<void>(in.release());
  }
  return ok;
}

}  // namespace railgauge
