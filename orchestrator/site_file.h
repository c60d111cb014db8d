// railgauge.yaml: what the site says about itself.
#pragma once

#include <filesystem>
#include <string>

#include "fabric/inventory/site.h"
#include "proto/result.h"

namespace railgauge {

// Keys: name, launcher, mpirun_arguments, rank_path, control: {interface, ports: 20000-20100}, compute_nics,
// rail_order, rates: [{nodes, nics, rate: 200mbit, payload_share: 0.956}], bisection, software_links. An
// empty file is a Site of defaults. Errors (input): "FILE:LINE: KEY: reason". file: for messages only.
Result<Site> parse_site(const std::string& text, const std::string& file);
Result<Site> read_site_file(const std::filesystem::path& path);

}  // namespace railgauge
