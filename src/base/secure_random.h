// Bytes nobody can guess, from OpenSSL's generator: for keys, tokens and nonces. Everything else uses base/random.h,
// which tests can steer.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Stops the program when the system has no randomness to give: nothing sound can be made without it.
std::string secure_bytes(std::size_t count);

// `count` characters, each of `alphabet` as likely as any other; the alphabet has 1 to 256 of them.
std::string secure_text(std::size_t count, std::string_view alphabet);

}  // namespace eilbote
