// The page's style: one text, allowed by its hash, so that the page needs no 'unsafe-inline' and no script at
// all.
#pragma once

#include <string_view>

namespace railgauge {

// Content of the <style> element, byte for byte.
std::string_view page_style();

// base64 of its SHA-256, for `style-src 'sha256-...'`.
std::string_view page_style_hash();

}  // namespace railgauge
