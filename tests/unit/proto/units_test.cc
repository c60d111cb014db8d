#include "proto/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace railgauge {
namespace {

using testing::HasSubstr;

TEST(Units, text_has_three_digits_and_the_unit) {
  EXPECT_EQ(to_text(BitRate::gbit(388)), "388 Gbit/s");
  EXPECT_EQ(to_text(BitRate::mbit(191.44)), "191 Mbit/s");
  EXPECT_EQ(to_text(BitRate::mbit(23.94)), "23.9 Mbit/s");
  EXPECT_EQ(to_text(BitRate::gbit(2.5)), "2.5 Gbit/s");
  EXPECT_EQ(to_text(BitRate::mbit(999.9)), "1 Gbit/s");
  EXPECT_EQ(to_text(BitRate::bits_per_second(12)), "12 bit/s");
  EXPECT_EQ(to_text(BitRate()), "0 bit/s");
  EXPECT_EQ(to_text(Bytes::kib(64)), "64 KiB");
  EXPECT_EQ(to_text(Bytes::mib(1)), "1 MiB");
  EXPECT_EQ(to_text(Bytes::b(8)), "8 B");
  EXPECT_EQ(to_text(Bytes::b(0)), "0 B");
  EXPECT_EQ(to_text(Bytes::kib(1536)), "1.5 MiB");
  EXPECT_EQ(to_text(Nanos::ms(1200)), "1.20 s");
  EXPECT_EQ(to_text(Nanos::ms(350)), "350 ms");
  EXPECT_EQ(to_text(Nanos::ns(12340)), "12.3 us");
  EXPECT_EQ(to_text(Nanos::ns(999999)), "1.00 ms");
  EXPECT_EQ(to_text(Nanos::ns(-350000000)), "-350 ms");
  EXPECT_EQ(to_text(Nanos()), "0 s");
}

TEST(Units, rate_of_zero_time_is_zero) { EXPECT_EQ((Bytes::mib(1) / Nanos()).bps(), 0); }

TEST(ParseRate, what_people_write_is_read) {
  EXPECT_EQ(parse_rate("400mbit")->bps(), 400e6);
  EXPECT_EQ(parse_rate("1gbit")->bps(), 1e9);
  EXPECT_EQ(parse_rate("2.5gbit")->bps(), 2.5e9);
  EXPECT_EQ(parse_rate("400 Gbit/s")->bps(), 400e9);
  EXPECT_EQ(parse_rate(" 10 Kbit ")->bps(), 10e3);
}

TEST(ParseSize, what_people_write_is_read) {
  EXPECT_EQ(parse_size("64KiB")->count(), 65536U);
  EXPECT_EQ(parse_size("1MiB")->count(), 1048576U);
  EXPECT_EQ(parse_size("8B")->count(), 8U);
  EXPECT_EQ(parse_size("4096")->count(), 4096U);
  EXPECT_EQ(parse_size("1.5 KiB")->count(), 1536U);
  EXPECT_EQ(parse_size("18446744073709551615")->count(), ~std::uint64_t{0});
}

TEST(ParseDuration, what_people_write_is_read) {
  EXPECT_EQ(*parse_duration("15m"), Nanos::s(900));
  EXPECT_EQ(*parse_duration("90s"), Nanos::s(90));
  EXPECT_EQ(*parse_duration("250ms"), Nanos::ms(250));
  EXPECT_EQ(*parse_duration("1h30m"), Nanos::s(5400));
  EXPECT_EQ(*parse_duration("1.5s"), Nanos::ms(1500));
  EXPECT_EQ(*parse_duration("1 h 5 min"), Nanos::s(3900));
}

template <class T>
void refused(Result<T> (*parse)(std::string_view), std::string_view text) {
  const Result<T> r = parse(text);
  ASSERT_FALSE(r) << text;
  EXPECT_EQ(r.error().kind, ErrorKind::input);
  EXPECT_THAT(r.error().message, HasSubstr("\"" + std::string(text.substr(0, 60)) + "\""));
}

TEST(ParseRate, junk_negative_and_overflow_are_named) {
  for (const char* t :
       {"", "mbit", "400", "-4mbit", "+4mbit", "4mbits", "4MB/s", "1e9gbit", "1.gbit", ".5gbit", "1.2.3gbit",
        "nan", "inf", "0x10mbit", "1000001gbit", "99999999999999999999999999999999gbit", "4 m bit"}) {
    refused(parse_rate, t);
  }
  refused(parse_rate, std::string(400, '9') + "gbit");
}

TEST(ParseSize, junk_negative_and_overflow_are_named) {
  for (const char* t : {"", "KiB", "-1", "64KB", "64k", "1.3B", "0.0001KiB", "18446744073709551616",
                        "18014398509481984KiB", "16777216TiB", "9999999.5TiB", "1 2", "1KiB2", "0x10"}) {
    refused(parse_size, t);
  }
}

TEST(ParseDuration, junk_negative_order_and_overflow_are_named) {
  for (const char* t :
       {"", "15", "m", "-5s", "5x", "30m1h", "5s5s", "1h30", "300000000000000h", "1 000s", "5s;", "1hh"}) {
    refused(parse_duration, t);
  }
}

}  // namespace
}  // namespace railgauge
