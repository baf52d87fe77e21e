// CRC-32C (Castagnoli), as Google's Secret Manager checks its payloads with.
#pragma once

#include <cstdint>
#include <string_view>

namespace eilbote {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace eilbote
