#include "orchestrator/control/hello.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "proto/control.pb.h"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ControlOptions options() {
  ControlOptions o;
  o.token = "token";
  o.build_id = "build-a";
  o.nodes = {"h1", "h2"};
  return o;
}

// A good HELLO of h2's leader in launch 3, after the test's change.
std::string hello(const std::function<void(wire::Hello&)>& change) {
  wire::ToOrchestrator m;
  wire::Hello& h = *m.mutable_hello();
  h.set_token("token");
  h.set_build_id("build-a");
  h.set_node("h2");
  h.set_role(wire::ROLE_LEADER);
  h.set_launch(3);
  h.set_clock_ns(17);
  change(h);
  return m.SerializeAsString();
}

void refused(const std::string& message, const testing::Matcher<const std::string&>& reason) {
  const auto who = check_hello(message, options());
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().kind, ErrorKind::peer);
  EXPECT_THAT(who.error().message, reason);
}

TEST(Hello, good_ones_say_who_and_in_which_role) {
  const auto leader = check_hello(hello([](wire::Hello&) {}), options());
  ASSERT_TRUE(leader) << leader.error().message;
  EXPECT_EQ(leader->node, "h2");
  EXPECT_EQ(leader->role, NodeRole::leader);
  EXPECT_EQ(leader->launch, 3);
  EXPECT_EQ(leader->clock_ns, 17);
  const auto probe =
      check_hello(hello([](wire::Hello& h) { h.set_role(wire::ROLE_PROBE), h.clear_launch(); }), options());
  ASSERT_TRUE(probe) << probe.error().message;
  EXPECT_EQ(probe->role, NodeRole::probe);
}

TEST(Hello, wrong_short_long_and_missing_tokens_are_refused) {
  for (const char* token : {"tokem", "toke", "tokens", "TOKEN", ""}) {
    refused(hello([&](wire::Hello& h) { h.set_token(token); }), HasSubstr("wrong token"));
  }
  refused(hello([](wire::Hello& h) { h.clear_token(); }), HasSubstr("wrong token"));
}

TEST(Hello, who_has_no_token_learns_neither_nodes_nor_build) {
  refused(hello([](wire::Hello& h) { h.set_token("x"), h.set_node("h9"), h.set_build_id("build-b"); }),
          std::string("wrong token"));
}

TEST(Hello, another_build_is_refused_naming_both_and_the_node) {
  refused(hello([](wire::Hello& h) { h.set_build_id("build-b"); }),
          AllOf(HasSubstr("build-a"), HasSubstr("build-b"), HasSubstr("h2")));
  refused(hello([](wire::Hello& h) { h.clear_build_id(); }), HasSubstr("build-a"));
}

TEST(Hello, unknown_node_is_named_in_printable_text) {
  refused(hello([](wire::Hello& h) { h.set_node("h9\n\x1b[2J"); }),
          HasSubstr("node \"h9??[2J\" is not in this run"));
  refused(hello([](wire::Hello& h) { h.set_node(std::string(3000, 'h')); }),
          HasSubstr(std::string(64, 'h') + "\""));
}

TEST(Hello, neither_probe_nor_leader_of_a_launch_is_refused) {
  const auto reason = HasSubstr("neither probe nor leader");
  refused(hello([](wire::Hello& h) { h.clear_role(); }), reason);
  refused(hello([](wire::Hello& h) { h.set_role(static_cast<wire::Role>(9)); }), reason);
  refused(hello([](wire::Hello& h) { h.clear_launch(); }), reason);
  refused(hello([](wire::Hello& h) { h.set_launch(-1); }), reason);
}

TEST(Hello, other_messages_and_junk_are_not_a_hello) {
  wire::ToOrchestrator other;
  other.mutable_batch_done();
  for (const std::string& message : {std::string(), std::string("\xff\xff\xff"), other.SerializeAsString()}) {
    refused(message, HasSubstr("not a HELLO"));
  }
}

TEST(Hello, equal_texts_are_equal_and_no_others) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace railgauge
