// Whether a text is JSON, without building anything from it. For payloads that are kept and sent as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eilbote {

inline constexpr std::size_t kJsonTextDepthMax = 64;

struct JsonTextFault {
  std::size_t offset = 0;  // in bytes, from 0: where the text stops being JSON
  std::string what;
};

std::optional<JsonTextFault> find_json_fault(std::string_view text);

}  // namespace eilbote
