// Which errors of the store count as its trouble, and under which label of store_errors. Used by what is measured around the
// store (measured_outbox.cpp, measured_store.cpp), so that an error counts once, wherever the call came from.
#pragma once

#include "base/result.h"

namespace eilbote {

struct Metrics;

// Not counted: what was asked was the fault, and the database did its work (refused rows have a count of their own). What
// is neither that nor ambiguous is `unavailable`, broken installations too: whoever is woken by it has to look either way.
void count_store_error(ErrorKind kind, Metrics& metrics);

// From zero, so that the first one is seen as such.
void begin_store_errors(Metrics& metrics);

// Counts the error, if it is one, and hands the result on.
template <class T>
Result<T> counted(Result<T> result, Metrics& metrics) {
  if (!result) count_store_error(result.error().kind, metrics);
  return result;
}

}  // namespace eilbote
