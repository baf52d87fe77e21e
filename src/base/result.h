// Result<T>: an expected failure is a value. Exceptions do not leave a .cpp that calls a throwing library.
// A failed *delivery* is not an Error; it is a DeliveryResult (domain/delivery.h).
#pragma once

#include <source_location>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace eilbote {

enum class ErrorKind {
  invalid,        // the caller's input is wrong; trying again cannot help
  not_found,      // the thing asked for does not exist (or is another client's)
  conflict,       // the thing is in a state that forbids this
  rejected_data,  // the database refused a row (SQLSTATE 22 or 23): bisect the batch
  unavailable,    // a dependency is away, and nothing was changed: try again
  ambiguous,      // the link died around a COMMIT: it may or may not have happened
  overloaded,     // a bounded queue is full: back off
  internal,       // a bug or a broken installation
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::source_location where = std::source_location::current();

  // The same error with what was being done in front, for the way up: "migrate: connect: refused".
  Error with_context(const std::string& doing) const { return Error{kind, doing + ": " + message, where}; }
};

template <class T>
using Result = tl::expected<T, Error>;

// The failure branch of a Result: `return fail(ErrorKind::invalid, "...")`.
inline tl::unexpected<Error> fail(ErrorKind kind, std::string message,
                                  std::source_location where = std::source_location::current()) {
  return tl::unexpected<Error>(Error{kind, std::move(message), where});
}
inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace eilbote
