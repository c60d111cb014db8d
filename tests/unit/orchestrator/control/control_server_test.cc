#include "orchestrator/control/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "proto/control_client.h"
#include "proto/control_frame.h"
#include "tests/unit/orchestrator/control/raw_peer.h"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Kind = ControlMessage::Kind;

constexpr Nanos kSoon = Nanos::s(5);  // far over what loopback needs: only a failing test waits for it

ControlOptions options() {
  ControlOptions o;
  o.token = "secret-of-this-run";
  o.build_id = "build-a";
  o.bind_address = "127.0.0.1";
  o.nodes = {"h1", "h2"};
  return o;
}

std::unique_ptr<ControlServer> server(ControlOptions o = options()) {
  auto s = ControlServer::listen(std::move(o));
  EXPECT_TRUE(s) << s.error().message;
  return s ? std::move(*s) : nullptr;
}

wire::ToOrchestrator hello(const std::string& node, int launch = 0) {
  wire::ToOrchestrator m;
  wire::Hello& h = *m.mutable_hello();
  h.set_token("secret-of-this-run");
  h.set_build_id("build-a");
  h.set_node(node);
  h.set_role(wire::ROLE_LEADER);
  h.set_launch(launch);
  h.set_clock_ns(1);
  return m;
}

wire::ToOrchestrator batch_done(int number) {
  wire::ToOrchestrator m;
  m.mutable_batch_done()->set_number(number);
  return m;
}

std::unique_ptr<ControlClient> client(const ControlServer& s) {
  auto c = ControlClient::connect(s.address(), kSoon);
  EXPECT_TRUE(c) << c.error().message;
  return c ? std::move(*c) : nullptr;
}

ControlMessage next(ControlServer& s) {
  auto m = s.wait(kSoon);
  EXPECT_TRUE(m.has_value()) << "nothing happened";
  return m ? std::move(*m) : ControlMessage();
}

ConnectionId connected(ControlServer& s, ControlClient& c, const std::string& node) {
  EXPECT_TRUE(c.send(hello(node)));
  const ControlMessage m = next(s);
  EXPECT_EQ(m.kind, Kind::connected) << m.text;
  EXPECT_EQ(m.node, node);
  return m.connection;
}

void expect_works(ControlServer& s, ControlClient& c, ConnectionId id, int number) {
  EXPECT_TRUE(c.send(batch_done(number)));
  const ControlMessage m = next(s);
  ASSERT_EQ(m.kind, Kind::message) << m.text;
  EXPECT_EQ(m.connection, id);
  EXPECT_EQ(m.message->batch_done().number(), number);
}

std::string refusal(ControlServer& s, ControlClient& c, const wire::ToOrchestrator& first) {
  EXPECT_TRUE(c.send(first));
  const ControlMessage m = next(s);
  EXPECT_EQ(m.kind, Kind::refused);
  EXPECT_THAT(m.text, HasSubstr("127.0.0.1:"));
  const auto told = c.receive(kSoon);
  EXPECT_TRUE(told && *told && (*told)->has_refuse()) << "the peer was not told";
  if (told && *told) {
    EXPECT_THAT(m.text, HasSubstr((*told)->refuse().reason()));
  }
  EXPECT_FALSE(s.wait(Nanos()));  // sockets move in here only
  EXPECT_FALSE(c.receive(kSoon));
  return m.text;
}

TEST(ControlServer, hello_is_delivered_as_connected_and_messages_follow_in_order) {
  const auto s = server();
  const auto c = client(*s);
  ASSERT_TRUE(c->send(hello("h2", 3)));
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::connected);
  EXPECT_EQ(m.node, "h2");
  EXPECT_EQ(m.role, NodeRole::leader);
  EXPECT_EQ(m.launch, 3);
  EXPECT_LT(m.clock_difference, Nanos());  // the node's clock stands in 1970
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(c->send(batch_done(i)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(next(*s).message->batch_done().number(), i);
  EXPECT_FALSE(s->wait(Nanos()));
}

TEST(ControlServer, what_is_sent_arrives_in_order_at_one_and_at_many) {
  const auto s = server();
  const auto a = client(*s), b = client(*s);
  const std::vector<ConnectionId> ids{connected(*s, *a, "h1"), connected(*s, *b, "h2")};
  wire::ToNode m;
  m.mutable_welcome()->set_launch_spec_json(std::string(3000000, 'j'));  // more than a socket buffer
  s->send(ids, m);
  m.mutable_finish();
  s->send(ids, m);
  for (ControlClient* c : {a.get(), b.get()}) {
    int got = 0;
    for (int turn = 0; turn < 1000000 && got < 2; ++turn) {
      EXPECT_FALSE(s->wait(Nanos()));
      const auto r = c->receive(Nanos());
      ASSERT_TRUE(r) << r.error().message;
      if (!*r) continue;
      EXPECT_EQ((*r)->has_welcome(), got == 0);
      EXPECT_EQ((*r)->has_finish(), got == 1);
      ++got;
    }
    EXPECT_EQ(got, 2);
  }
}

TEST(ControlServer, message_larger_than_one_read_arrives_whole) {
  const auto s = server();
  const auto c = client(*s);
  connected(*s, *c, "h1");
  wire::ToOrchestrator m;
  m.mutable_artifact()->set_content(
      std::string(200000, 'x'));  // fits the kernel's buffers: this test has one thread
  ASSERT_TRUE(c->send(m));
  EXPECT_EQ(next(*s).message->artifact().content().size(), 200000U);
}

TEST(ControlServer, strangers_are_refused_by_reason_and_the_good_client_goes_on) {
  const auto s = server();
  const auto good = client(*s);
  const ConnectionId id = connected(*s, *good, "h1");
  wire::ToOrchestrator m = hello("h2");
  m.mutable_hello()->set_token("secret-of-this-ruN");
  EXPECT_THAT(refusal(*s, *client(*s), m), HasSubstr("wrong token"));
  m = hello("h2");
  m.mutable_hello()->set_build_id("build-b");
  EXPECT_THAT(refusal(*s, *client(*s), m), AllOf(HasSubstr("build-a"), HasSubstr("build-b")));
  EXPECT_THAT(refusal(*s, *client(*s), batch_done(1)), HasSubstr("not a HELLO"));
  expect_works(*s, *good, id, 1);
}

TEST(ControlServer, foreign_protocols_and_oversize_hellos_are_closed_and_logged) {
  const auto s = server();
  const auto good = client(*s);
  const ConnectionId id = connected(*s, *good, "h1");
  const std::vector<std::pair<std::string, std::string>> hostile{
      {"GET / HTTP/1.1\r\n\r\n", "not a railgauge control frame"},
      {std::string("RGC1\x01\x10\x00\x00", 8), "4097 bytes, at most 4096"},
      {std::string("RGC1\xff\xff\xff\xff", 8), "at most 4096"},
  };
  for (const auto& [bytes, reason] : hostile) {
    RawPeer peer(s->port());
    peer.say(bytes);
    const ControlMessage m = next(*s);
    EXPECT_EQ(m.kind, Kind::refused);
    EXPECT_THAT(m.text, AllOf(HasSubstr("127.0.0.1:"), HasSubstr(reason)));
    EXPECT_EQ(peer.hear(), "");
  }
  RawPeer junk(s->port());
  junk.say(encode_control("\xff\xff\xff not protobuf"));
  EXPECT_THAT(next(*s).text, HasSubstr("not a HELLO"));
  expect_works(*s, *good, id, 2);
}

TEST(ControlServer, who_leaves_before_its_hello_is_refused_with_a_reason) {
  const auto s = server();
  { RawPeer peer(s->port()); }
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::refused);
  EXPECT_THAT(m.text, HasSubstr("closed by the node"));
}

TEST(ControlServer, half_a_hello_is_closed_at_its_deadline_and_the_good_client_goes_on) {
  ControlOptions o = options();
  o.hello_deadline = Nanos::ms(30);
  const auto s = server(o);
  const auto good = client(*s);
  const ConnectionId id = connected(*s, *good, "h1");
  RawPeer slow(s->port());
  slow.say("RGC1");
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::refused);
  EXPECT_THAT(m.text, HasSubstr("no HELLO within 30.0 ms"));
  EXPECT_EQ(slow.hear(), "");
  expect_works(*s, *good, id, 3);  // whose own deadline passed long ago
}

TEST(ControlServer, silent_strangers_in_all_places_do_not_keep_the_runs_own_out) {
  const auto s = server();
  std::vector<std::unique_ptr<RawPeer>> strangers;
  for (int i = 0; i < 12; ++i) strangers.push_back(std::make_unique<RawPeer>(s->port()));  // 2 x 2 nodes + 8
  EXPECT_FALSE(s->wait(Nanos::ms(1)));
  const auto good = client(*s);
  ASSERT_TRUE(good->send(hello("h1")));
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::refused);
  EXPECT_THAT(m.text, HasSubstr("more connections than nodes"));
  EXPECT_EQ(strangers[0]->hear(), "");  // the oldest went
  EXPECT_EQ(next(*s).kind, Kind::connected);
}

TEST(ControlServer, connection_beyond_the_bound_is_refused_and_the_others_go_on) {
  const auto s = server();
  std::vector<std::unique_ptr<ControlClient>> good;
  std::vector<ConnectionId> ids;
  for (int i = 0; i < 12; ++i) {
    good.push_back(client(*s));
    ids.push_back(connected(*s, *good.back(), "h1"));
  }
  RawPeer more(s->port());
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::refused);
  EXPECT_THAT(m.text, HasSubstr("more connections than nodes"));
  EXPECT_EQ(more.hear(), "");
  for (std::size_t i = 0; i < ids.size(); ++i) expect_works(*s, *good[i], ids[i], 4);
  EXPECT_EQ(std::set<ConnectionId>(ids.begin(), ids.end()).size(),
            12U);  // the same node twice is the caller's to judge
}

TEST(ControlServer, broken_messages_close_their_connection_only) {
  const auto s = server();
  const auto good = client(*s);
  const ConnectionId id = connected(*s, *good, "h1");
  const std::string first = encode_control(hello("h2").SerializeAsString());
  const std::vector<std::pair<std::string, std::string>> hostile{
      {encode_control("\xff\xff\xff"), "not a control message"},
      {encode_control(""), "not a control message"},
      {first, "second HELLO"},
      {std::string("RGC1\xff\xff\xff\xff", 8), "at most 67108864"},
      {"????", "not a railgauge control frame"},
  };
  for (const auto& [bytes, reason] : hostile) {
    RawPeer peer(s->port());
    peer.say(first + bytes);
    EXPECT_EQ(next(*s).kind, Kind::connected);
    const ControlMessage m = next(*s);
    EXPECT_EQ(m.kind, Kind::closed) << reason;
    EXPECT_EQ(m.node, "h2");
    EXPECT_THAT(m.text, HasSubstr(reason));
    peer.hear();
  }
  expect_works(*s, *good, id, 5);
}

TEST(ControlServer, node_that_does_not_read_is_closed_and_named) {
  ControlOptions o = options();
  o.outgoing_limit_bytes = 1 << 20U;
  const auto s = server(o);
  const auto deaf = client(*s), good = client(*s);
  const ConnectionId id = connected(*s, *deaf, "h2"), other = connected(*s, *good, "h1");
  wire::ToNode m;
  m.mutable_batch()->set_rounds_json(std::string(700000, 'r'));
  std::optional<ControlMessage> got;
  for (int i = 0; i < 100 && !got; ++i) {
    s->send(id, m);
    got = s->wait(Nanos());
  }
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, Kind::closed);
  EXPECT_EQ(got->node, "h2");
  EXPECT_THAT(got->text, HasSubstr("does not read"));
  s->send(id, m);  // a dead id is ignored
  expect_works(*s, *good, other, 6);
}

TEST(ControlServer, closing_node_is_told_once) {
  const auto s = server();
  auto c = client(*s);
  const ConnectionId id = connected(*s, *c, "h1");
  ASSERT_TRUE(c->send(batch_done(7)));
  c.reset();
  EXPECT_EQ(next(*s).kind, Kind::message);  // what it said last is not lost
  const ControlMessage m = next(*s);
  EXPECT_EQ(m.kind, Kind::closed);
  EXPECT_EQ(m.connection, id);
  EXPECT_FALSE(s->wait(Nanos::ms(1)));
}

TEST(ControlServer, refused_by_the_caller_reads_the_reason_although_it_was_talking) {
  const auto s = server();
  const auto c = client(*s);
  const ConnectionId id = connected(*s, *c, "h1");
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(c->send(batch_done(i)));
  EXPECT_EQ(next(*s).kind, Kind::message);
  s->refuse(id, "world of 1, 16 expected");
  EXPECT_FALSE(s->wait(Nanos::ms(1)));  // neither its other messages nor a closed
  const auto m = c->receive(kSoon);
  ASSERT_TRUE(m && *m);
  EXPECT_EQ((*m)->refuse().reason(), "world of 1, 16 expected");
  EXPECT_FALSE(c->receive(kSoon));
}

TEST(ControlServer, what_was_sent_last_arrives_although_the_server_is_gone) {
  auto s = server();
  const auto c = client(*s);
  const ConnectionId id = connected(*s, *c, "h1");
  wire::ToNode m;
  m.mutable_finish();
  s->send(id, m);
  s->close(id);
  s.reset();
  const auto got = c->receive(kSoon);
  ASSERT_TRUE(got && *got);
  EXPECT_TRUE((*got)->has_finish());
}

TEST(ControlServer, listener_is_gone_with_the_object) {
  auto s = server();
  const std::string address = s->address();
  s.reset();
  const auto c = ControlClient::connect(address, Nanos::ms(1));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().kind, ErrorKind::deadline);
  EXPECT_THAT(c.error().message,
              AllOf(HasSubstr(address), HasSubstr("Connection refused"), HasSubstr("firewall")));
}

TEST(ControlServer, port_range_is_searched_and_a_full_one_is_an_error_that_names_it) {
  const auto first = server();
  ControlOptions o = options();
  o.port_first = o.port_last = first->port();
  const auto taken = ControlServer::listen(o);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::environment);
  EXPECT_THAT(taken.error().message, HasSubstr(std::to_string(first->port())));
  o.port_last = std::min(65535, first->port() + 200);
  const auto next_free = ControlServer::listen(o);
  ASSERT_TRUE(next_free) << next_free.error().message;
  EXPECT_GT((*next_free)->port(), first->port());
}

TEST(ControlServer, bad_options_are_input_errors) {
  for (int i = 0; i < 4; ++i) {
    ControlOptions o = options();
    if (i == 0) o.token = "";
    if (i == 1) o.bind_address = "eth0";
    if (i == 2) o.port_first = o.port_last = 70000;
    if (i == 3) o.port_first = 10, o.port_last = 5;
    const auto s = ControlServer::listen(o);
    ASSERT_FALSE(s) << i;
    EXPECT_EQ(s.error().kind, ErrorKind::input) << i;
  }
}

}  // namespace
}  // namespace railgauge
