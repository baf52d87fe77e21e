#include "domain/aws_error.h"

#include "domain/json_members.h"

namespace eilbote {

std::string aws_error_code(std::string_view header, const boost::json::value& body) {
  std::string code(header);
  if (code.empty()) code = text_at(body, {"__type"});
  if (code.empty()) code = text_at(body, {"code"});
  if (const auto hash = code.find('#'); hash != std::string::npos) code.erase(0, hash + 1);
  return code.substr(0, code.find(':'));
}

}  // namespace eilbote
