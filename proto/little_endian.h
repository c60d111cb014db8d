// Fixed-width little-endian numbers in byte strings, for the frames of samples.rg and of the control channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/result.h"

namespace railgauge {

template <class T>
void put_little_endian(std::string& out, T v) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out += static_cast<char>(static_cast<std::uint8_t>(v >> (8 * i)));
}

// bytes shorter than the number is a bug: the caller has checked the length.
template <class T>
T get_little_endian(std::string_view bytes) {
  RG_CHECK(bytes.size() >= sizeof(T));
  T v = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    v = static_cast<T>(v | static_cast<T>(static_cast<T>(static_cast<std::uint8_t>(bytes[i])) << (8 * i)));
  }
  return v;
}

inline void put_u16(std::string& out, std::uint16_t v) { put_little_endian(out, v); }
inline void put_u32(std::string& out, std::uint32_t v) { put_little_endian(out, v); }
inline void put_u64(std::string& out, std::uint64_t v) { put_little_endian(out, v); }
inline std::uint16_t get_u16(std::string_view b) { return get_little_endian<std::uint16_t>(b); }
inline std::uint32_t get_u32(std::string_view b) { return get_little_endian<std::uint32_t>(b); }
inline std::uint64_t get_u64(std::string_view b) { return get_little_endian<std::uint64_t>(b); }

}  // namespace railgauge
