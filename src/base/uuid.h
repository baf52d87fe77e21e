// A random UUID (version 4, RFC 9562): what other people's protocols want as the id of a request or a token.
#pragma once

#include <string>

namespace eilbote {

// "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"; nobody can guess it.
std::string random_uuid();

}  // namespace eilbote
