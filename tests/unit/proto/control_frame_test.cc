#include "proto/control_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace railgauge {
namespace {

using testing::HasSubstr;

TEST(ControlFrame, messages_cut_at_any_byte_come_out_whole_and_in_order) {
  const std::string stream =
      encode_control("hello") + encode_control("") + encode_control(std::string(300, 'x'));
  for (std::size_t step = 1; step < stream.size(); ++step) {
    ControlDecoder d(4096);
    std::vector<std::string> out;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      d.feed(std::string_view(stream).substr(at, step));
      for (;;) {
        auto m = d.next();
        ASSERT_TRUE(m) << m.error().message;
        if (!*m) break;
        out.push_back(**m);
      }
    }
    EXPECT_EQ(out, (std::vector<std::string>{"hello", "", std::string(300, 'x')})) << step;
  }
}

TEST(ControlFrame, nothing_fed_is_nothing_and_no_error) {
  ControlDecoder d(10);
  const auto m = d.next();
  ASSERT_TRUE(m);
  EXPECT_FALSE(m->has_value());
}

TEST(ControlFrame, foreign_bytes_are_refused_from_the_first_byte_and_for_ever) {
  ControlDecoder d(4096);
  d.feed("G");
  const auto m = d.next();
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().kind, ErrorKind::peer);
  d.feed(encode_control("good"));
  EXPECT_FALSE(d.next());
}

TEST(ControlFrame, length_over_the_limit_is_refused_before_the_message_comes) {
  ControlDecoder d(4096);
  d.feed(std::string("RGC1\xff\xff\xff\xff", 8));
  const auto m = d.next();
  ASSERT_FALSE(m);
  EXPECT_THAT(m.error().message, HasSubstr("4294967295 bytes, at most 4096"));
}

TEST(ControlFrame, limit_itself_is_allowed_and_may_grow_between_messages_of_one_feed) {
  ControlDecoder d(5);
  d.feed(encode_control("hello") + encode_control("longer than five"));
  EXPECT_EQ(**d.next(), "hello");
  d.set_limit(100);
  EXPECT_EQ(**d.next(), "longer than five");
}

}  // namespace
}  // namespace railgauge
