// A request's body as JSON, or the problem with it.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>
#include <tl/expected.hpp>

#include "api/problem.h"
#include "domain/strict_json.h"

namespace eilbote {

// The value lives in `storage`.
tl::expected<boost::json::value, Problem> read_json(std::string_view text, boost::json::storage_ptr storage);

}  // namespace eilbote
