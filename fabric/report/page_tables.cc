// Rails, endpoints, pairs and skips of report.html. One unit per column; what was not measured says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/report/page.h"
#include "fabric/report/page_ramp.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kInOrderUpTo = 64;  // endpoints; beyond that slowest first
constexpr std::size_t kEndpoints = 512;
constexpr std::size_t kPairs = 10;
constexpr std::size_t kSkips = 200;

// The unit that a column of these values prints in.
std::string_view rate_unit(double largest_bits_per_second) {
  return rate_text(largest_bits_per_second).ends_with(" Gbit/s") ? "Gbit/s" : "Mbit/s";
}

// Without its unit where that is the column's; with it where a value needs another.
std::string in_column(std::string text, std::string_view unit) {
  if (text == "not measured") return "\u2013";
  if (text.ends_with(fmt::format(" {}", unit))) text.resize(text.size() - unit.size() - 1);
  return text;
}

std::string share_cell(const std::optional<double>& share) {
  if (!share) return "<td class=\"r mut\">\u2013</td>";
  return fmt::format(
      R"(<td class="r"><svg class="sw" viewBox="0 0 10 10" aria-hidden="true"><rect class="k{}" width="10" height="10"/></svg>{}</td>)",
      ramp_step(*share), percent_text(*share));
}

std::string state_cell(const EndpointResult& e) {
  const bool measured = e.send_bits_per_second || e.receive_bits_per_second;
  if (e.state == "ok" && measured) return "<td>ok</td>";
  if (e.state == "slow") return "<td class=\"am\">slow</td>";
  if (e.state == "ok" || e.state.empty() || e.state == "skipped")
    return "<td class=\"mut\">not measured</td>";
  return fmt::format("<td class=\"no\">{}</td>", html_text(e.state));
}

std::optional<double> quantile(std::vector<double> sorted, double q) {
  if (sorted.empty()) return std::nullopt;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

// Counts on a logarithmic scale: one slow endpoint stays visible beside a thousand good ones.
std::string strip(const std::vector<double>& shares, int rail) {
  constexpr double kWidth = 360, kHeight = 30;
  std::map<int, int> bins;  // pixel column of 4 -> count
  for (const double s : shares) ++bins[static_cast<int>(std::min(axis_place(s * 100), 0.995) * kWidth / 4)];
  int most = 1;
  for (const auto& [bin, n] : bins) most = std::max(most, n);
  std::string out = fmt::format(
      R"(<svg class="strip" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-label="Rail {2}: distribution in % of expected">)",
      kWidth, kHeight, rail);
  for (const auto& [bin, n] : bins) {
    const double h = std::max(4.0, std::log1p(n) / std::log1p(most) * (kHeight - 4));
    // the colour of the bar is that of the middle of its column on the stretched axis
    double percent = 40;
    while (percent < 105 && axis_place(percent) * kWidth < bin * 4 + 2) percent += 0.25;
    out += fmt::format(
        R"(<rect class="k{} edge" x="{}" y="{:.1f}" width="3.4" height="{:.1f}"><title>{}</title></rect>)",
        ramp_step(percent / 100), bin * 4, kHeight - 1 - h, h, n);
  }
  return out +
         fmt::format(
             R"(<path class="ax" d="M0 {0}h{1}"/><path class="tol" stroke-dasharray="2 2" d="M{2:.1f} 0v{0}"/></svg>)",
             kHeight - 0.5, kWidth, axis_place(kTolerance * 100) * kWidth);
}

std::string strip_ticks() {
  constexpr double kWidth = 360;
  std::string out = R"(<svg class="strip" viewBox="0 0 360 13" width="360" height="13" aria-hidden="true">)";
  for (const int tick : {40, 65, 80, 90, 95, 100}) {
    out += fmt::format(R"(<text{} x="{:.1f}" y="10">{}{}{}</text>)", tick == 40 ? "" : R"( class="c")",
                       axis_place(tick) * kWidth, tick == 40 ? "\u2264 " : "", tick, tick == 100 ? " %" : "");
  }
  return out + "</svg>";
}

}  // namespace

std::string rail_strips(const Report& r) {
  struct Rail {
    std::vector<double> shares;
    std::size_t planned = 0;
  };
  std::map<int, Rail> rails;
  for (const EndpointResult& e : r.analysis.endpoints) {
    if (e.rail < 0) continue;
    ++rails[e.rail].planned;
    if (const auto share = share_of_expected(e)) rails[e.rail].shares.push_back(*share);
  }
  if (rails.empty()) return "";
  std::string out =
      "<div class=\"scroll\"><table class=\"t sm\"><thead><tr><th scope=\"col\">Rail</th><th scope=\"col\">" +
      strip_ticks() +
      "<span class=\"hid\">Distribution</span></th><th class=\"r\" scope=\"col\">Median</th><th class=\"r\" "
      "scope=\"col\">Slowest</th>"
      "<th class=\"r\" scope=\"col\">Below 95 %</th><th class=\"r\" "
      "scope=\"col\">Measured</th></tr></thead><tbody>\n";
  for (auto& [number, rail] : rails) {
    std::sort(rail.shares.begin(), rail.shares.end());
    const auto below =
        std::lower_bound(rail.shares.begin(), rail.shares.end(), kTolerance) - rail.shares.begin();
    const auto cell = [](const std::optional<double>& v) {
      return v ? percent_text(*v) : std::string("not measured");
    };
    out += fmt::format(
        "<tr><td><b>{}</b></td><td>{}</td><td class=\"r\">{}</td><td class=\"r\">{}</td><td "
        "class=\"r{}\">{}</td><td class=\"r\">{} of {}</td></tr>\n",
        number, strip(rail.shares, number), cell(quantile(rail.shares, 0.5)), cell(quantile(rail.shares, 0)),
        below > 0 ? " no" : " mut", rail.shares.empty() ? "\u2013" : std::to_string(below),
        rail.shares.size(), rail.planned);
  }
  return out + "</tbody></table></div>\n";
}

std::string endpoints_table(const Report& r) {
  std::vector<const EndpointResult*> rows;
  double largest = 0, longest = 0;
  for (const EndpointResult& e : r.analysis.endpoints) {
    rows.push_back(&e);
    largest = std::max({largest, e.send_bits_per_second.value_or(0), e.receive_bits_per_second.value_or(0),
                        e.expected_bits_per_second.value_or(0)});
    longest = std::max({longest, e.latency_p50_ns.value_or(0), e.latency_p99_ns.value_or(0)});
  }
  const bool ranked = rows.size() > kInOrderUpTo;
  if (ranked) {  // what was not measured first, then the slowest
    std::stable_sort(rows.begin(), rows.end(), [](const EndpointResult* a, const EndpointResult* b) {
      return share_of_expected(*a).value_or(-1) < share_of_expected(*b).value_or(-1);
    });
  }
  const std::string_view unit = rate_unit(largest);
  const std::string time_unit = longest > 0 && time_text(longest).ends_with(" ms") ? "ms" : "us";
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Endpoints\"><table class=\"t "
      "sm\"><thead><tr><th scope=\"col\">Node</th><th scope=\"col\">Rail</th>"
      "<th class=\"opt\" scope=\"col\">NIC</th><th class=\"r\" scope=\"col\">Send<br>{0}</th><th class=\"r\" "
      "scope=\"col\">Receive<br>{0}</th><th class=\"r\" scope=\"col\">Expected<br>{0}</th>"
      "<th class=\"r\" scope=\"col\">Slower, of<br>expected</th><th class=\"r\" scope=\"col\">Latency "
      "p50<br>{1}</th><th class=\"r\" scope=\"col\">p99<br>{1}</th>"
      "<th scope=\"col\">State</th></tr></thead><tbody>\n",
      unit, time_unit);
  for (std::size_t i = 0; i < std::min(rows.size(), kEndpoints); ++i) {
    const EndpointResult& e = *rows[i];
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"opt\">{}</td><td class=\"r\">{}</td><td "
        "class=\"r\">{}</td><td class=\"r mut\">{}</td>{}<td class=\"r\">{}</td><td "
        "class=\"r\">{}</td>{}</tr>\n",
        html_text(e.node), e.rail < 0 ? std::string("\u2013") : std::to_string(e.rail), html_text(e.device),
        in_column(rate_text(e.send_bits_per_second), unit),
        in_column(rate_text(e.receive_bits_per_second), unit),
        in_column(rate_text(e.expected_bits_per_second), unit), share_cell(share_of_expected(e)),
        in_column(time_text(e.latency_p50_ns), time_unit), in_column(time_text(e.latency_p99_ns), time_unit),
        state_cell(e));
  }
  out += "</tbody></table></div>\n";
  if (rows.size() > kEndpoints) {
    out += fmt::format("<p class=\"mut\">The {} slowest of {}; all are in report.json.</p>\n", kEndpoints,
                       plural(rows.size(), "endpoint"));
  }
  return out;
}

std::string pairs_table(const Report& r) {
  struct Row {
    const PairResult* pair;
    double share;
  };
  std::vector<Row> rows;
  const auto known = [&](std::int32_t e) {
    return e >= 0 && static_cast<std::size_t>(e) < r.schedule.endpoints.size();
  };
  for (const PairResult& p : r.analysis.pairs) {
    if (known(p.source) && known(p.target) && p.expected_bits_per_second > 0)
      rows.push_back({&p, p.median_bits_per_second / p.expected_bits_per_second});
  }
  if (rows.empty()) return "";
  const std::size_t shown = std::min(kPairs, rows.size());
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.share < b.share; });
  double largest = 0;
  for (std::size_t i = 0; i < shown; ++i)
    largest =
        std::max({largest, rows[i].pair->median_bits_per_second, rows[i].pair->expected_bits_per_second});
  const std::string_view unit = rate_unit(largest);
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"t sm\"><caption>Slowest pairs, {} of {}</caption><thead><tr><th "
      "scope=\"col\">From</th><th scope=\"col\">To</th><th scope=\"col\">Rail</th>"
      "<th class=\"r\" scope=\"col\">Median<br>{}</th><th class=\"r\" scope=\"col\">Of<br>expected</th><th "
      "class=\"r\" scope=\"col\">Repeats</th></tr></thead><tbody>\n",
      shown, count_text(rows.size()), unit);
  for (std::size_t i = 0; i < shown; ++i) {
    const PairResult& p = *rows[i].pair;
    const Endpoint& from = r.schedule.endpoints[static_cast<std::size_t>(p.source)];
    const Endpoint& to = r.schedule.endpoints[static_cast<std::size_t>(p.target)];
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"r\">{}</td>{}<td class=\"r\">{}</td></tr>\n",
        html_text(from.node), html_text(to.node),
        from.rail < 0 ? std::string("\u2013") : std::to_string(from.rail),
        in_column(rate_text(p.median_bits_per_second), unit), share_cell(rows[i].share), p.repeats);
  }
  return out + "</tbody></table></div>\n";
}

std::string skipped_table(const Report& r) {
  const std::vector<Skip>& all = r.analysis.skipped;
  if (all.empty()) return "";
  const auto word = [](SkipReason reason) {
    std::string text(to_text(reason));
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
  };
  std::string out =
      "<table class=\"t sm\"><thead><tr><th scope=\"col\">What</th><th scope=\"col\">Why</th><th "
      "scope=\"col\">Detail</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(all.size(), kSkips); ++i) {
    out += fmt::format("<tr><td>{}</td><td class=\"nw\">{}</td><td>{}</td></tr>\n", html_text(all[i].what),
                       word(all[i].reason), html_text(all[i].text));
  }
  out += "</tbody></table>\n";
  if (all.size() > kSkips)
    out += fmt::format("<p class=\"mut\">{} more are in report.json.</p>\n", count_text(all.size() - kSkips));
  return out;
}

}  // namespace railgauge
