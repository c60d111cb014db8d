#include "orchestrator/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "proto/sample_file.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr Nanos kSoon = Nanos::s(20);  // far over what it takes: only a failing test waits for it

std::string frame(int round) {
  SampleSet s;
  FlowSample f;
  f.round = round;
  s.flows.push_back(f);
  return encode_frames("n000", s);
}

int real_write(int fd, std::string_view bytes) {
  return ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) ? 0 : errno;
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() : root_(fs::path(testing::TempDir()) / ("rg_journal_" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "out");
  }
  ~JournalTest() override { fs::remove_all(root_); }
  JournalOptions options() const {
    JournalOptions o;
    o.scratch_dir = root_ / "scratch" / "deep";
    o.out_dir = root_ / "out";
    o.run_id = "run-1";
    return o;
  }
  fs::path out() const { return root_ / "out" / "samples.rg"; }
  static std::unique_ptr<Journal> open(JournalOptions o) {
    auto j = Journal::open(std::move(o));
    EXPECT_TRUE(j) << j.error().message;
    return j ? std::move(*j) : nullptr;
  }
  static std::size_t rows(const fs::path& path) {
    const auto file = read_sample_file(path);
    EXPECT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file && file->damaged.empty());
    EXPECT_EQ(file ? file->run_id : "", "run-1");
    return file ? file->samples.flows.size() : 0;
  }
  void leave_behind(const std::string& bytes) const { std::ofstream(out(), std::ios::binary) << bytes; }
  fs::path root_;
};

TEST_F(JournalTest, all_that_was_appended_before_a_flush_is_in_the_run_directory_after_it) {
  const auto j = open(options());
  for (int i = 0; i < 100; ++i) j->append(frame(i));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 100U);
  j->append(frame(100));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 101U);
  EXPECT_FALSE(j->failure());
  EXPECT_FALSE(fs::exists(out().string() + ".tmp"));
}

TEST_F(JournalTest, journal_without_samples_is_a_readable_file) {
  const auto j = open(options());
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 0U);
}

TEST_F(JournalTest, what_was_not_flushed_is_whole_in_scratch_and_what_was_flushed_leaves_none) {
  auto j = open(options());
  const fs::path scratch = j->scratch_file();
  j->append(frame(1));
  j.reset();
  EXPECT_EQ(rows(scratch), 1U);
  EXPECT_FALSE(fs::exists(out()));
  j = open(options());
  j->append(frame(1));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  j.reset();
  EXPECT_FALSE(fs::exists(scratch));
}

TEST_F(JournalTest, existing_samples_are_not_overwritten) {
  leave_behind("precious");
  const auto j = Journal::open(options());
  ASSERT_FALSE(j);
  EXPECT_EQ(j.error().kind, ErrorKind::input);
  EXPECT_THAT(j.error().message, HasSubstr("--resume"));
  EXPECT_EQ(fs::file_size(out()), 8U);
}

TEST_F(JournalTest, resume_goes_on_behind_the_last_whole_frame) {
  leave_behind(encode_header("run-1") + frame(0) + frame(1) + frame(2).substr(0, 30));
  JournalOptions o = options();
  o.resume = true;
  const auto j = open(o);
  j->append(frame(3));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 3U);
}

TEST_F(JournalTest, resume_finds_what_only_scratch_has) {
  auto j = open(options());
  j->append(frame(0));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  j->append(frame(1));
  j.reset();
  JournalOptions o = options();
  o.resume = true;
  j = open(o);
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 2U);
}

TEST_F(JournalTest, resume_ignores_scratch_of_another_story) {
  auto j = open(options());
  for (int i = 0; i < 5; ++i) j->append(frame(i));
  j.reset();
  leave_behind(encode_header("run-1") + frame(9));
  JournalOptions o = options();
  o.resume = true;
  j = open(o);
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 1U);
}

TEST_F(JournalTest, resume_without_samples_begins_anew) {
  JournalOptions o = options();
  o.resume = true;
  const auto j = open(o);
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 0U);
}

TEST_F(JournalTest, resume_of_a_foreign_or_another_runs_file_is_refused_and_leaves_it) {
  JournalOptions o = options();
  o.resume = true;
  for (const std::string& bytes : {std::string("foreign"), encode_header("run-2")}) {
    leave_behind(bytes);
    const auto j = Journal::open(o);
    ASSERT_FALSE(j);
    EXPECT_EQ(j.error().kind, ErrorKind::input);
    EXPECT_THAT(j.error().message, HasSubstr(out().string()));
    EXPECT_EQ(fs::file_size(out()), bytes.size());
  }
}

TEST_F(JournalTest, full_disk_is_a_failure_with_its_cause_and_what_was_written_stays_readable) {
  JournalOptions o = options();
  const auto full = std::make_shared<std::atomic<bool>>(false);
  o.write = [full](int fd, std::string_view bytes) {
    if (!*full) return real_write(fd, bytes);
    real_write(fd, bytes.substr(0, bytes.size() / 2));  // a disk takes what it can
    return ENOSPC;
  };
  auto j = open(o);
  j->append(frame(0));
  ASSERT_TRUE(j->flush_to_out(kSoon));
  *full = true;
  j->append(frame(1));
  j->append(frame(2));
  EXPECT_FALSE(j->flush_to_out(kSoon));  // this fake fills both disks
  ASSERT_TRUE(j->failure());
  EXPECT_EQ(j->failure()->kind, ErrorKind::environment);
  EXPECT_THAT(j->failure()->message, HasSubstr("No space left on device"));
  EXPECT_THAT(j->failure()->message, HasSubstr(j->scratch_file().string()));
  EXPECT_EQ(rows(out()), 1U);
  *full = false;
  j->append(frame(3));  // behind the hole: dropped
  ASSERT_TRUE(j->flush_to_out(kSoon));
  EXPECT_EQ(rows(out()), 1U);
  const fs::path scratch = j->scratch_file();
  j.reset();
  EXPECT_EQ(rows(scratch), 1U);
}

TEST_F(JournalTest, disk_full_from_the_start_starts_nothing) {
  JournalOptions o = options();
  o.write = [](int, std::string_view) { return ENOSPC; };
  const auto j = Journal::open(o);
  ASSERT_FALSE(j);
  EXPECT_THAT(j.error().message, HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_empty(o.scratch_dir));
}

// A disk that hangs until it is let go; shared, because the journal's threads may outlive the test's objects.
struct HangingDisk {
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future().share();
  std::atomic<bool> hangs = false;
  int write(int fd, std::string_view bytes) {
    if (hangs) gate.wait();
    return real_write(fd, bytes);
  }
};

TEST_F(JournalTest, hanging_disk_blocks_neither_append_nor_flush_nor_the_end_and_overflow_is_a_failure) {
  JournalOptions o = options();
  o.queue_limit_bytes = 10 * frame(0).size();
  o.close_deadline = Nanos::ms(1);
  const auto disk = std::make_shared<HangingDisk>();
  o.write = [disk](int fd, std::string_view bytes) { return disk->write(fd, bytes); };
  auto j = open(o);
  disk->hangs = true;
  for (int i = 0; i < 10; ++i) j->append(frame(0));
  EXPECT_FALSE(j->failure());
  const auto flushed = j->flush_to_out(Nanos::ms(1));
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().kind, ErrorKind::deadline);
  EXPECT_THAT(flushed.error().message, HasSubstr(j->scratch_file().string()));
  j->append(frame(0));
  ASSERT_TRUE(j->failure());
  EXPECT_THAT(j->failure()->message, HasSubstr("too slow"));
  j.reset();
  disk->go.set_value();
}

TEST_F(JournalTest, run_ids_that_are_paths_are_refused) {
  for (const std::string& id : {std::string(), std::string("../x"), std::string(".hidden"),
                                std::string("a/b"), std::string(129, 'a')}) {
    JournalOptions o = options();
    o.run_id = id;
    EXPECT_FALSE(Journal::open(o)) << id;
  }
}

TEST_F(JournalTest, missing_run_directory_is_an_input_error) {
  JournalOptions o = options();
  o.out_dir = root_ / "nowhere";
  const auto j = Journal::open(o);
  ASSERT_FALSE(j);
  EXPECT_EQ(j.error().kind, ErrorKind::input);
}

}  // namespace
}  // namespace railgauge
