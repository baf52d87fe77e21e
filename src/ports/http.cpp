#include "ports/http.h"

#include "base/ascii.h"

namespace eilbote {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (same_but_for_case(key, name)) return value;
  return {};
}

}  // namespace eilbote
