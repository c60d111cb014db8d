#include "proto/sample_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "proto/little_endian.h"
#include "proto/sample_columns.h"

namespace railgauge {
namespace {

using testing::HasSubstr;

constexpr std::size_t kFrameHeader = 20;

FlowSample flow(int i) {
  FlowSample f;
  f.round = i;
  f.source = 2 * i;
  f.target = 2 * i + 1;
  f.side = i % 2 == 0 ? Side::send : Side::receive;
  f.status = static_cast<FlowStatus>(i % 4);
  f.payload_bytes = ~std::uint64_t{0} - static_cast<std::uint64_t>(i);
  f.total_bytes = 77;
  f.interval_ns = -5;
  f.goodput_bits_per_second = 388.25e9 + i;
  f.median_bits_per_second = 1e-300;
  f.longest_stall_ns = 12;
  f.windows = 4294967295U;
  f.latency_count = 10000;
  f.latency_p50_ns = 1.5;
  f.latency_p99_ns = 2.5;
  f.latency_p999_ns = 3.5;
  f.latency_max_ns = 4.5;
  f.run_delay_ns = 6;
  f.verified_bytes = 7;
  f.wrong_bytes = 8;
  f.error_code = -110;
  std::strcpy(f.error, "retry exceeded \xff");
  return f;
}

SampleSet some(int n) {
  SampleSet s;
  for (int i = 0; i < n; ++i) {
    s.flows.push_back(flow(i));
    s.counters.push_back({i, i + 1, 1, 2, 3, 4, -5, 6});
    s.events.push_back({-9, "rank_died", "n017", -1, i, "signal 9"});
  }
  return s;
}

bool same(const FlowSample& a, const FlowSample& b) {
  return a.round == b.round && a.source == b.source && a.target == b.target && a.side == b.side &&
         a.status == b.status && a.payload_bytes == b.payload_bytes && a.total_bytes == b.total_bytes &&
         a.interval_ns == b.interval_ns && a.goodput_bits_per_second == b.goodput_bits_per_second &&
         a.median_bits_per_second == b.median_bits_per_second && a.longest_stall_ns == b.longest_stall_ns &&
         a.windows == b.windows && a.latency_count == b.latency_count &&
         a.latency_p50_ns == b.latency_p50_ns && a.latency_p99_ns == b.latency_p99_ns &&
         a.latency_p999_ns == b.latency_p999_ns && a.latency_max_ns == b.latency_max_ns &&
         a.run_delay_ns == b.run_delay_ns && a.verified_bytes == b.verified_bytes &&
         a.wrong_bytes == b.wrong_bytes && a.error_code == b.error_code && std::strcmp(a.error, b.error) == 0;
}

SampleSet only_flow(int i) {
  SampleSet s;
  s.flows.push_back(flow(i));
  return s;
}

// Header, then three frames of one flow each, and where they begin.
struct Three {
  std::string bytes = encode_header("run-1");
  std::size_t begin[4] = {};
  Three() {
    for (int i = 0; i < 3; ++i) {
      begin[i] = bytes.size();
      bytes += encode_frames("n000", only_flow(i));
    }
    begin[3] = bytes.size();
  }
};

TEST(SampleFile, every_field_survives_the_round_trip) {
  const SampleSet in = some(9);
  const auto file = parse_sample_file(encode_header("20261201-1") + encode_frames("n000", in));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->run_id, "20261201-1");
  EXPECT_TRUE(file->damaged.empty());
  ASSERT_EQ(file->samples.flows.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(same(file->samples.flows[i], in.flows[i])) << i;
  ASSERT_EQ(file->samples.counters.size(), 9U);
  EXPECT_EQ(file->samples.counters[8].payload_received, 4U);
  EXPECT_EQ(file->samples.counters[8].endpoint, 9);
  EXPECT_EQ(file->samples.counters[8].begin_ns, -5);
  EXPECT_EQ(file->samples.counters[8].end_ns, 6);
  ASSERT_EQ(file->samples.events.size(), 9U);
  EXPECT_EQ(file->samples.events[3].text, "signal 9");
  EXPECT_EQ(file->samples.events[3].time_ns, -9);
  EXPECT_EQ(file->samples.events[3].round, 3);
}

TEST(SampleFile, nothing_measured_is_no_frame) { EXPECT_EQ(encode_frames("n000", {}), ""); }

TEST(SampleFile, same_samples_give_the_same_bytes) {
  EXPECT_EQ(encode_frames("n000", some(3)), encode_frames("n000", some(3)));
}

TEST(SampleFile, more_rows_than_a_frame_holds_become_several_frames) {
  SampleSet in;
  in.flows.resize(kMaxRows + 1);
  in.flows.back().round = 42;
  const auto out = parse_frames(encode_frames("n000", in));
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(out->flows.size(), kMaxRows + 1);
  EXPECT_EQ(out->flows.back().round, 42);
}

TEST(SampleFile, long_event_text_is_cut_and_not_lost) {
  SampleSet in;
  in.events.push_back({0, "note", "", -1, -1, std::string(kMaxEventText + 10, 'x')});
  const auto out = parse_frames(encode_frames("n000", in));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->events.at(0).text.size(), kMaxEventText);
}

TEST(SampleFile, error_text_that_fills_its_field_survives) {
  SampleSet in = only_flow(0);
  std::memset(in.flows[0].error, 'e', sizeof in.flows[0].error);  // a writer that forgot the NUL
  const auto out = parse_frames(encode_frames("n000", in));
  ASSERT_TRUE(out);
  EXPECT_EQ(std::string(out->flows.at(0).error), std::string(95, 'e'));
}

TEST(SampleFile, torn_tail_of_any_length_is_named_and_costs_the_last_frame_only) {
  const Three t;
  for (std::size_t cut = t.begin[2] + 1; cut < t.begin[3]; ++cut) {
    const auto file = parse_sample_file(std::string_view(t.bytes).substr(0, cut));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->samples.flows.size(), 2U) << cut;
    ASSERT_EQ(file->damaged.size(), 1U) << cut;
    EXPECT_EQ(file->damaged[0].offset, t.begin[2]);
    EXPECT_THAT(file->damaged[0].reason, HasSubstr("cut off after " + std::to_string(cut - t.begin[2])));
    EXPECT_EQ(file->whole_bytes, t.begin[2]);
  }
}

TEST(SampleFile, flipping_any_bit_of_a_frame_costs_that_frame_only_and_is_named) {
  const Three t;
  for (std::size_t at = t.begin[1]; at < t.begin[2]; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = t.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const auto file = parse_sample_file(bytes);
      ASSERT_TRUE(file);
      ASSERT_EQ(file->damaged.size(), 1U) << at;
      EXPECT_EQ(file->damaged[0].offset, t.begin[1]) << at;
      EXPECT_FALSE(file->damaged[0].reason.empty());
      ASSERT_EQ(file->samples.flows.size(), 2U) << at;
      EXPECT_EQ(file->samples.flows[0].round, 0);
      EXPECT_EQ(file->samples.flows[1].round, 2);
      EXPECT_EQ(file->whole_bytes, t.begin[3]);
    }
  }
}

TEST(SampleFile, bytes_lost_or_added_between_frames_are_named_and_the_rest_is_read) {
  const Three t;
  std::string lost = t.bytes;
  lost.erase(t.begin[1] + 10, 15);
  std::string added = t.bytes;
  added.insert(t.begin[1], "garbage");
  for (const auto& [bytes, rows] : {std::pair(lost, 2U), std::pair(added, 3U)}) {
    const auto file = parse_sample_file(bytes);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->samples.flows.size(), rows);
    ASSERT_EQ(file->damaged.size(), 1U);
    EXPECT_EQ(file->damaged[0].offset, t.begin[1]);
  }
}

TEST(SampleFile, damaged_header_costs_the_run_id_only) {
  Three t;
  t.bytes[17] = static_cast<char>(t.bytes[17] ^ 1);
  const auto file = parse_sample_file(t.bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->run_id, "");
  EXPECT_EQ(file->samples.flows.size(), 3U);
  ASSERT_EQ(file->damaged.size(), 1U);
  EXPECT_THAT(file->damaged[0].reason, HasSubstr("run id"));
}

TEST(SampleFile, hostile_header_length_is_bounded) {
  Three t;
  for (int i = 12; i < 16; ++i) t.bytes[static_cast<std::size_t>(i)] = '\xff';
  const auto file = parse_sample_file(t.bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->samples.flows.size(), 3U);
}

TEST(SampleFile, foreign_and_empty_files_are_refused) {
  for (const std::string bytes :
       {"", "R", "PNG....................", "RGSAMP\n\n............", "RGSAMP\r\n"}) {
    const auto file = parse_sample_file(bytes);
    ASSERT_FALSE(file) << bytes;
    EXPECT_EQ(file.error().kind, ErrorKind::input);
    EXPECT_THAT(file.error().message, HasSubstr("not a samples.rg"));
  }
}

TEST(SampleFile, newer_major_is_refused_by_name_and_newer_minor_is_read) {
  Three t;
  t.bytes[8] = 2;
  const auto newer = parse_sample_file(t.bytes);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, ErrorKind::input);
  EXPECT_THAT(newer.error().message, HasSubstr("format 2.0"));
  t.bytes[8] = 1;
  t.bytes[10] = 7;  // the checksum no longer holds either: the frames must be read all the same
  EXPECT_EQ(parse_sample_file(t.bytes)->samples.flows.size(), 3U);
}

TEST(SampleFile, missing_file_and_directory_are_input_errors_with_the_path) {
  const auto missing = read_sample_file("/nonexistent/samples.rg");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/samples.rg"));
  const auto directory = read_sample_file("/");
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("directory"));
}

TEST(SampleFile, file_on_disk_is_read_as_its_bytes) {
  const Three t;
  const auto path = std::filesystem::path(testing::TempDir()) / "rg_sample_file_test.rg";
  std::ofstream(path, std::ios::binary) << t.bytes;
  const auto file = read_sample_file(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->samples.flows.size(), 3U);
}

TEST(ParseFrames, anything_but_whole_frames_is_a_peer_error) {
  const std::string good = encode_frames("n000", some(1));
  std::string flipped = good;
  flipped[kFrameHeader] = static_cast<char>(flipped[kFrameHeader] ^ 1);
  for (const std::string& bytes :
       {good.substr(0, good.size() - 1), flipped, good + "x", std::string("RGF1")}) {
    const auto set = parse_frames(bytes);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().kind, ErrorKind::peer);
  }
  EXPECT_TRUE(parse_frames(""));
  EXPECT_TRUE(parse_frames(good + good));
}

TEST(ParseFrames, hostile_length_is_refused) {
  std::string bytes = encode_frames("n000", only_flow(0));
  for (std::size_t i = 8; i < 12; ++i) bytes[i] = '\xff';
  const auto set = parse_frames(bytes);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("impossible"));
}

TEST(ParseFrames, frames_that_unpack_to_more_than_the_bound_are_refused) {
  SampleSet in;
  in.events.resize(kMaxEventRows);
  for (Event& e : in.events) e.text.assign(kMaxEventText, 'a');  // 32 MiB a frame, some KiB packed
  const std::string frame = encode_frames("n000", in);
  ASSERT_TRUE(parse_frames(frame));
  const auto set = parse_frames(frame + frame);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("at most"));
}

TEST(ParseFrames, random_damage_never_gives_a_wrong_value) {
  const std::string good = encode_frames("n000", some(20));
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good;
    const std::size_t at = random() % bytes.size();
    const auto old = bytes[at];
    bytes[at] = static_cast<char>(random());
    if (bytes[at] != old) {
      EXPECT_FALSE(parse_frames(bytes)) << at;
    }
  }
}

TEST(SampleColumns, columns_of_unequal_length_and_values_out_of_range_are_refused_and_change_nothing) {
  SampleSet out;
  const std::string columns = pack_columns("n000", std::span<const FlowSample>(some(2).flows));
  ASSERT_TRUE(unpack_columns(FrameKind::flows, columns, out));
  ASSERT_EQ(out.flows.size(), 2U);
  // Protobuf lets a later field win or append: rows = 3 behind the columns of two.
  const auto short_columns = unpack_columns(FrameKind::flows, columns + std::string("\x08\x03", 2), out);
  ASSERT_FALSE(short_columns);
  EXPECT_THAT(short_columns.error().message, HasSubstr("column round has 2 of 3 rows"));
  const auto side = unpack_columns(FrameKind::flows, std::string("\x08\x01\x32\x01\x07", 5), out);
  ASSERT_FALSE(side);
  EXPECT_THAT(side.error().message, HasSubstr("column side has value 7"));
  EXPECT_FALSE(unpack_columns(FrameKind::flows, "\xff\xff\xff", out));
  EXPECT_FALSE(unpack_columns(FrameKind::flows, std::string("\x08\xff\xff\xff\xff\x0f", 6), out));
  EXPECT_FALSE(unpack_columns(static_cast<FrameKind>(9), columns, out));
  EXPECT_EQ(out.flows.size(), 2U);
}

TEST(SampleColumns, columns_that_were_not_recorded_have_defaults) {
  SampleSet out;
  ASSERT_TRUE(unpack_columns(FrameKind::flows, std::string("\x08\x02", 2), out));
  ASSERT_EQ(out.flows.size(), 2U);
  EXPECT_EQ(out.flows[0].round, -1);
  EXPECT_EQ(out.flows[0].status, FlowStatus::ok);
}

TEST(LittleEndian, numbers_survive_and_have_the_low_byte_first) {
  std::string s;
  put_u16(s, 0xfffeU);
  put_u32(s, 0x80000001U);
  put_u64(s, 0xff00000000000002ULL);
  EXPECT_EQ(static_cast<unsigned char>(s[0]), 0xfeU);
  EXPECT_EQ(get_u16(s), 0xfffeU);
  EXPECT_EQ(get_u32(s.substr(2)), 0x80000001U);
  EXPECT_EQ(get_u64(s.substr(6)), 0xff00000000000002ULL);
}

TEST(KeepLaterRows, of_what_two_starts_measured_the_later_stays_and_the_rest_is_untouched) {
  SampleSet s = some(4);
  SampleSet again;
  again.flows = {flow(2), flow(3)};
  again.flows[0].total_bytes = 99;
  again.flows[1].side = Side::send;  // the other side of this flow: no second measurement
  again.counters = {{1, 2, 5, 5, 5, 5, 0, 0}};
  again.events = s.events;
  s.flows.insert(s.flows.end(), again.flows.begin(), again.flows.end());
  s.counters.insert(s.counters.end(), again.counters.begin(), again.counters.end());
  s.events.insert(s.events.end(), again.events.begin(), again.events.end());
  keep_later_rows(s);
  ASSERT_EQ(s.flows.size(), 5U);
  EXPECT_EQ(s.flows[2].round, 3);  // the earlier of round 2 is gone, order is kept
  EXPECT_EQ(s.flows[3].round, 2);
  EXPECT_EQ(s.flows[3].total_bytes, 99U);
  ASSERT_EQ(s.counters.size(), 4U);
  EXPECT_EQ(s.counters[1].round, 2);
  EXPECT_EQ(s.counters[3].tx_bytes, 5U);
  EXPECT_EQ(s.events.size(), 8U);
}

}  // namespace
}  // namespace railgauge
