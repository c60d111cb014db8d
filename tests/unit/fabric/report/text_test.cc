#include "fabric/report/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace railgauge {
namespace {

TEST(Text, control_and_hidden_characters_become_escapes) {
  EXPECT_EQ(visible("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
  EXPECT_EQ(visible("\u202eevil"), "\\u202eevil");
  EXPECT_EQ(visible("zero\u200bwidth"), "zero\\u200bwidth");
  EXPECT_EQ(visible("\u009b31m"), "\\u009b31m");  // the one-character form of ESC [
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("M\u00fcnchen \u2013 \u5317\u4eac"), "M\u00fcnchen \u2013 \u5317\u4eac");
}

TEST(Text, bytes_that_are_not_utf8_become_escapes) {
  EXPECT_EQ(visible("a\xff"), "a\\xff");
  EXPECT_EQ(visible("a\xc3"), "a\\xc3");                  // cut sequence
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(visible("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(Text, html_text_leaves_nothing_that_opens_markup) {
  EXPECT_EQ(html_text("</script><img onerror=\"x('y')\">&"),
            "&lt;/script&gt;&lt;img onerror=&quot;x(&#39;y&#39;)&quot;&gt;&amp;");
}

TEST(Text, columns_count_wide_and_combining_characters) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("\u5317\u4eac"), 4U);
  EXPECT_EQ(columns("e\u0301"), 1U);
  EXPECT_EQ(columns(""), 0U);
}

TEST(Text, fit_and_pad_keep_their_width) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdefg", 6), "abc...");
  EXPECT_EQ(pad("ab", 4), "ab  ");
  EXPECT_EQ(columns(pad("\u5317\u4eac\u5317\u4eac", 6)), 6U);
}

TEST(Text, wrap_breaks_at_spaces_and_cuts_long_words) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefghij", 4), (std::vector<std::string>{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap("x abcdefgh y", 4), (std::vector<std::string>{"x", "abcd", "efgh", "y"}));
  EXPECT_TRUE(wrap("", 10).empty());
  EXPECT_TRUE(wrap("   ", 10).empty());
}

TEST(Text, percent_is_cut_and_never_rounded_up_to_a_gate) {
  EXPECT_EQ(percent_text(0.5), "50 %");
  EXPECT_EQ(percent_text(0.9496), "94.9 %");
  EXPECT_EQ(percent_text(0.95), "95.0 %");
  EXPECT_EQ(percent_text(0.0), "0 %");
  EXPECT_EQ(percent_text(-1), "not measured");
  EXPECT_EQ(percent_text(std::numeric_limits<double>::quiet_NaN()), "not measured");
}

TEST(Text, quantities_carry_their_unit_and_absence_is_said) {
  EXPECT_EQ(quantity_text(388e9, "bit/s"), "388 Gbit/s");
  EXPECT_EQ(quantity_text(191e6, "bit/s"), "191 Mbit/s");
  EXPECT_EQ(quantity_text(15, "endpoints"), "15 endpoints");
  EXPECT_EQ(rate_text(std::optional<double>{}), "not measured");
  EXPECT_EQ(time_text(std::optional<double>{}), "not measured");
  EXPECT_EQ(rate_text(std::numeric_limits<double>::infinity()), "not measured");
  EXPECT_EQ(ratio_text(1, 0, "bit/s"), "");
  EXPECT_EQ(ratio_text(230, 100, "ns"), "2.3 x");
}

TEST(Text, host_lists_fold_runs_of_numbers) {
  EXPECT_EQ(host_list({"n000", "n001", "n002", "x"}), "n[000-002],x");
  EXPECT_EQ(host_list({"h9", "h10", "h11"}), "h[9-11]");
  EXPECT_EQ(host_list({"n09", "n010"}), "n09,n010");  // another width is another name
  EXPECT_EQ(host_list({"a", "b"}), "a,b");
  EXPECT_EQ(host_list({}), "");
  EXPECT_EQ(host_list({"9999999999", "10000000000"}), "9999999999,10000000000");
}

TEST(Text, counts_are_grouped) {
  EXPECT_EQ(count_text(7), "7");
  EXPECT_EQ(count_text(1024), "1,024");
  EXPECT_EQ(count_text(16777216), "16,777,216");
  EXPECT_EQ(plural(1, "node"), "1 node");
  EXPECT_EQ(plural(0, "node"), "0 nodes");
}

}  // namespace
}  // namespace railgauge
