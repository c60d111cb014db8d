// ssh joins its arguments with spaces and gives them to the shell on the other side; a word has to survive
// that.
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// The word as that shell must see it: unchanged where every character is plain, else in single quotes.
std::string remote_word(std::string_view word);

}  // namespace railgauge
