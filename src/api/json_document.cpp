#include "api/json_document.h"

namespace eilbote {

tl::expected<boost::json::value, Problem> read_json(std::string_view text, boost::json::storage_ptr storage) {
  auto value = parse_strict_json(text, std::move(storage));
  if (value) return std::move(*value);
  JsonTrouble& trouble = value.error();
  if (!trouble.broken.empty())
    return tl::unexpected(Problem{ProblemKind::malformed_json, std::move(trouble.broken), {}});
  return tl::unexpected(invalid(std::move(trouble.faults)));
}

}  // namespace eilbote
