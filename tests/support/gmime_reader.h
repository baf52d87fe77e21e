// Reads a message with GMime, a reader that shares no code with Eilbote.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace eilbote::test {

// The members of `meant` (mime_cases.h), as GMime sees them, and "warnings": what it finds odd.
boost::json::object read_with_gmime(const std::string& message);

}  // namespace eilbote::test
