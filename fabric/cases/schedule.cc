// Texts of the schedule's words; they are what schedule.json holds, so they never change.
#include "fabric/cases/schedule.h"

#include <array>

namespace railgauge {

std::string_view to_text(Operation op) {
  switch (op) {
    case Operation::write_stream:
      return "write_stream";
    case Operation::send_stream:
      return "send_stream";
    case Operation::write_ping_pong:
      return "write_ping_pong";
    case Operation::send_ping_pong:
      return "send_ping_pong";
  }
  return "unknown";
}

std::span<const Operation> all_values(Operation) {
  static constexpr std::array values = {Operation::write_stream, Operation::send_stream,
                                        Operation::write_ping_pong, Operation::send_ping_pong};
  return values;
}

std::string_view to_text(RuleKind kind) {
  switch (kind) {
    case RuleKind::circle:
      return "circle";
    case RuleKind::shift:
      return "shift";
    case RuleKind::matching:
      return "matching";
    case RuleKind::neighbours:
      return "neighbours";
    case RuleKind::list:
      return "list";
  }
  return "unknown";
}

std::span<const RuleKind> all_values(RuleKind) {
  static constexpr std::array values = {RuleKind::circle, RuleKind::shift, RuleKind::matching,
                                        RuleKind::neighbours, RuleKind::list};
  return values;
}

std::string_view to_text(FlowDirection d) {
  switch (d) {
    case FlowDirection::forward:
      return "forward";
    case FlowDirection::backward:
      return "backward";
    case FlowDirection::both:
      return "both";
  }
  return "unknown";
}

std::span<const FlowDirection> all_values(FlowDirection) {
  static constexpr std::array values = {FlowDirection::forward, FlowDirection::backward, FlowDirection::both};
  return values;
}

std::string_view to_text(RoundPurpose purpose) {
  switch (purpose) {
    case RoundPurpose::screen:
      return "screen";
    case RoundPurpose::confirm_loaded:
      return "confirm_loaded";
    case RoundPurpose::confirm_alone:
      return "confirm_alone";
  }
  return "unknown";
}

std::span<const RoundPurpose> all_values(RoundPurpose) {
  static constexpr std::array values = {RoundPurpose::screen, RoundPurpose::confirm_loaded,
                                        RoundPurpose::confirm_alone};
  return values;
}

}  // namespace railgauge
