#include "proto/samples.h"

#include "proto/result.h"

namespace railgauge {

std::string_view to_text(Side side) {
  switch (side) {
    case Side::send:
      return "send";
    case Side::receive:
      return "receive";
  }
  RG_CHECK(false && "side out of range");
}

std::string_view to_text(FlowStatus status) {
  switch (status) {
    case FlowStatus::ok:
      return "ok";
    case FlowStatus::failed:
      return "failed";
    case FlowStatus::not_started:
      return "not_started";
    case FlowStatus::peer_missing:
      return "peer_missing";
  }
  RG_CHECK(false && "flow status out of range");
}

}  // namespace railgauge
