#include "proto/control_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "proto/control.pb.h"
#include "proto/control_frame.h"

namespace railgauge {
namespace {

using testing::HasSubstr;

constexpr Nanos kSoon = Nanos::s(20);

// The other end, as plain as can be: what the client does must not depend on our own server.
class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof a;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&a), size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &size), 0);
    port_ = ntohs(a.sin_port);
  }
  ~Listener() {
    ::close(fd_);
    close_peer();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void accept() { peer_ = ::accept(fd_, nullptr, nullptr); }
  void close_peer() {
    if (peer_ >= 0) ::close(peer_);
    peer_ = -1;
  }
  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string hear(std::size_t n) const {
    std::string s(n, '\0');
    EXPECT_EQ(::recv(peer_, s.data(), n, MSG_WAITALL), static_cast<ssize_t>(n));
    return s;
  }

 private:
  int fd_;
  int port_ = 0;
  int peer_ = -1;
};

std::string stop(const std::string& reason) {
  wire::ToNode m;
  m.mutable_stop()->set_reason(reason);
  return encode_control(m.SerializeAsString());
}

TEST(ControlClient, messages_go_out_as_frames) {
  Listener l;
  const auto c = ControlClient::connect(l.address(), kSoon);
  ASSERT_TRUE(c) << c.error().message;
  l.accept();
  wire::ToOrchestrator m;
  m.mutable_batch_done()->set_number(5);
  ASSERT_TRUE((*c)->send(m));
  const std::string wanted = encode_control(m.SerializeAsString());
  EXPECT_EQ(l.hear(wanted.size()), wanted);
}

TEST(ControlClient, split_and_joined_frames_are_received_and_silence_is_no_error) {
  Listener l;
  const auto c = ControlClient::connect(l.address(), kSoon);
  ASSERT_TRUE(c);
  l.accept();
  EXPECT_FALSE(*(*c)->receive(Nanos()));
  const std::string one = stop("one");
  l.say(one.substr(0, 5));
  EXPECT_FALSE(*(*c)->receive(Nanos::ms(1)));
  l.say(one.substr(5) + stop("two"));
  EXPECT_EQ((**(*c)->receive(kSoon)).stop().reason(), "one");
  EXPECT_EQ((**(*c)->receive(kSoon)).stop().reason(), "two");
}

TEST(ControlClient, last_words_are_received_before_the_close_is_an_error) {
  Listener l;
  const auto c = ControlClient::connect(l.address(), kSoon);
  ASSERT_TRUE(c);
  l.accept();
  l.say(stop("bye"));
  l.close_peer();
  EXPECT_EQ((**(*c)->receive(kSoon)).stop().reason(), "bye");
  const auto end = (*c)->receive(kSoon);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::peer);
  EXPECT_THAT(end.error().message, HasSubstr("closed"));
}

TEST(ControlClient, foreign_bytes_and_broken_messages_are_peer_errors) {
  for (const std::string& bytes : {std::string("HTTP/1.1 200"), encode_control("\xff\xff\xff"),
                                   std::string("RGC1\xff\xff\xff\xff", 8)}) {
    Listener l;
    const auto c = ControlClient::connect(l.address(), kSoon);
    ASSERT_TRUE(c);
    l.accept();
    l.say(bytes);
    const auto m = (*c)->receive(kSoon);
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().kind, ErrorKind::peer);
  }
}

TEST(ControlClient, sending_to_a_closed_peer_is_an_error_and_no_signal) {
  Listener l;
  const auto c = ControlClient::connect(l.address(), kSoon);
  ASSERT_TRUE(c);
  l.accept();
  l.close_peer();
  wire::ToOrchestrator m;
  m.mutable_artifact()->set_content(std::string(1000000, 'x'));
  Result<void> sent = {};
  for (int i = 0; i < 10 && sent; ++i) sent = (*c)->send(m);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::peer);
}

TEST(ControlClient, bad_addresses_are_input_errors_that_name_them) {
  for (const char* address : {"", "127.0.0.1", "localhost:80", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000",
                              "1.2.3:80", ":80", "127.0.0.1:8x"}) {
    const auto c = ControlClient::connect(address, kSoon);
    ASSERT_FALSE(c) << address;
    EXPECT_EQ(c.error().kind, ErrorKind::input);
    EXPECT_THAT(c.error().message, HasSubstr("\"" + std::string(address) + "\""));
  }
}

}  // namespace
}  // namespace railgauge
