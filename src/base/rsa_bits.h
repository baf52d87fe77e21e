// The smallest RSA key that Eilbote believes, or signs with.
#pragma once

namespace eilbote {

inline constexpr int kRsaBitsMin = 2048;

}  // namespace eilbote
