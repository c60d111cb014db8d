#include "proto/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace railgauge {
namespace {

using testing::HasSubstr;

enum class Colour { red, green };
std::string_view to_text(Colour c) { return c == Colour::red ? "red" : "green"; }
std::span<const Colour> all_values(Colour) {
  static constexpr std::array kAll{Colour::red, Colour::green};
  return kAll;
}

struct Leaf {
  std::string name;
  std::optional<double> rate;
};
template <class V>
void describe(V& v, Leaf& l) {
  v("name", l.name);
  v("rate", l.rate);
}

struct Tree {
  int count = 0;
  std::uint64_t large = 0;
  bool flag = false;
  double share = 0;
  Colour colour = Colour::red;
  std::vector<Leaf> leaves;
  std::optional<std::vector<int>> numbers;
};
template <class V>
void describe(V& v, Tree& t) {
  v("count", t.count);
  v("large", t.large);
  v("flag", t.flag);
  v("share", t.share);
  v("colour", t.colour);
  v("leaves", t.leaves);
  v("numbers", t.numbers);
}

TEST(Json, keys_keep_their_order_zero_is_written_and_absent_is_not) {
  Tree t;
  t.leaves = {{"a", 0.0}, {"b", std::nullopt}};
  EXPECT_EQ(
      to_json(t, 0),
      R"({"count":0,"large":0,"flag":false,"share":0,"colour":"red","leaves":[{"name":"a","rate":0},{"name":"b"}]})");
}

TEST(Json, indented_text_has_one_member_a_line_and_empty_lists_are_short) {
  Leaf l{"a", 1.5};
  EXPECT_EQ(to_json(l), "{\n  \"name\": \"a\",\n  \"rate\": 1.5\n}");
  EXPECT_EQ(to_json(std::vector<int>{}), "[]");
}

TEST(Json, extreme_values_survive_the_round_trip) {
  Tree t;
  t.count = std::numeric_limits<int>::min();
  t.large = std::numeric_limits<std::uint64_t>::max();
  t.flag = true;
  t.share = 0.1;
  t.colour = Colour::green;
  t.leaves = {{"q\"b\\n\nt\t<\x01\x7f \xc3\xa9 \xf0\x9f\x94\xa5", 1e308}};
  t.numbers = std::vector<int>{};
  const std::string text = to_json(t);
  const auto back = from_json<Tree>(text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->count, t.count);
  EXPECT_EQ(back->large, t.large);
  EXPECT_EQ(back->share, 0.1);
  EXPECT_EQ(back->colour, Colour::green);
  EXPECT_EQ(back->leaves.at(0).name, t.leaves[0].name);
  EXPECT_EQ(back->leaves.at(0).rate, 1e308);
  ASSERT_TRUE(back->numbers);
  EXPECT_TRUE(back->numbers->empty());
  EXPECT_EQ(to_json(*back), text);
}

TEST(Json, no_text_can_end_a_script_block) {
  EXPECT_EQ(to_json(std::string("</script>"), 0), "\"\\u003c/script>\"");
}

TEST(Json, text_that_is_not_utf8_is_written_as_replacement_and_stays_readable) {
  for (const std::string bad :
       {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80z"}) {
    const auto v = JsonValue::parse(to_json(bad, 0));
    ASSERT_TRUE(v) << v.error().message;
    EXPECT_THAT(*v->string(), HasSubstr("\xef\xbf\xbd"));
  }
  EXPECT_EQ(to_json(std::string("a\xc3\xa9z\xef\xbf\xbf"), 0), "\"a\xc3\xa9z\xef\xbf\xbf\"");
}

const char* const kGood = R"({"count":1,"large":2,"flag":true,"share":0.5,"colour":"red","leaves":[]})";

std::string with(std::string_view from, std::string_view to) {
  std::string s = kGood;
  return s.replace(s.find(from), from.size(), to);
}

TEST(Json, keys_that_nobody_asked_for_and_nulls_of_optionals_are_ignored) {
  EXPECT_TRUE(from_json<Tree>(kGood));
  EXPECT_TRUE(from_json<Tree>(with("\"count\"", "\"newer\":{\"x\":[1]},\"count\"")));
  const auto t = from_json<Tree>(with("[]}", "[],\"numbers\":null}"));
  ASSERT_TRUE(t);
  EXPECT_FALSE(t->numbers);
}

TEST(Json, wrong_values_are_input_errors_that_say_where_and_what) {
  const std::array<std::array<std::string, 3>, 12> cases{{
      {"\"count\":1,", "", "count: missing"},
      {"\"count\":1", "\"count\":null", "count: missing"},
      {"\"count\":1", "\"count\":\"1\"", "count: "},
      {"\"count\":1", "\"count\":1.5", "count: "},
      {"\"count\":1", "\"count\":2147483648", "count: "},
      {"\"large\":2", "\"large\":-1", "large: "},
      {"\"large\":2", "\"large\":18446744073709551616", "large: "},
      {"\"flag\":true", "\"flag\":1", "flag: true or false"},
      {"\"share\":0.5", "\"share\":\"x\"", "share: "},
      {"\"colour\":\"red\"", "\"colour\":\"blue\"", "colour: "},
      {"\"leaves\":[]", "\"leaves\":{}", "leaves: "},
      {"\"leaves\":[]", "\"leaves\":[{\"name\":\"a\"},{\"name\":3}]", "leaves[1].name: text"},
  }};
  for (const auto& [from, to, wanted] : cases) {
    const auto t = from_json<Tree>(with(from, to));
    ASSERT_FALSE(t) << to;
    EXPECT_EQ(t.error().kind, ErrorKind::input);
    EXPECT_THAT(t.error().message, HasSubstr(wanted)) << to;
  }
}

TEST(Json, what_is_not_json_is_named_with_line_and_column) {
  for (const char* text : {"", "{", "{\"a\":1,}", "[1 2]", "nan", "{\"a\":1}x", "\"\xff\"", "'a'"}) {
    const auto v = JsonValue::parse(text);
    ASSERT_FALSE(v) << text;
    EXPECT_EQ(v.error().kind, ErrorKind::input);
    EXPECT_THAT(v.error().message, HasSubstr("line 1, column")) << text;
  }
}

TEST(Json, nesting_of_64_is_read_and_of_65_or_a_million_refused) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(JsonValue::parse(nested(64)));
  for (const std::size_t n : {65U, 1000000U}) {
    const auto v = JsonValue::parse(nested(n));
    ASSERT_FALSE(v);
    EXPECT_THAT(v.error().message, HasSubstr("deeper than 64"));
  }
  std::string broad = "[";
  for (int i = 0; i < 100; ++i) broad += "[{}],";
  EXPECT_TRUE(JsonValue::parse(broad + "0]"));
}

TEST(Json, text_over_the_bound_is_refused_before_it_is_parsed) {
  const auto v = JsonValue::parse("[1,2,3]", 6);
  ASSERT_FALSE(v);
  EXPECT_THAT(v.error().message, HasSubstr("over 6 bytes"));
  EXPECT_TRUE(JsonValue::parse("[1,2,3]", 7));
}

}  // namespace
}  // namespace railgauge
