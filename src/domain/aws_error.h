// The name of an error in an answer of AWS's JSON protocols. Pure. Used by the secret stores of AWS and by SQS.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace eilbote {

// From the header x-amzn-errortype, `__type` or `code`, without what is around it. Empty: the answer names none.
std::string aws_error_code(std::string_view header, const boost::json::value& body);

}  // namespace eilbote
