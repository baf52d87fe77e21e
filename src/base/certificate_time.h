// When a certificate ends, in our own type of time. For the parts that hold one: the HTTP listener and the door to Graph.
#pragma once

#include "base/time.h"

struct x509_st;

namespace eilbote {

// The last second it is good for; the beginning of time when it cannot be read.
TimePoint expiry_of(const x509_st* certificate);

}  // namespace eilbote
