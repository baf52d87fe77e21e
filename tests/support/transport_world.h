// A transport with what it runs on, for the conformance tests of transports (tests/conformance/transport_test.cpp): each adapter
// has one. Several transports of a world meet in the same queues; each world begins with empty ones.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "transport/transport.h"

namespace eilbote::test {

class TransportWorld {
 public:
  virtual ~TransportWorld() = default;

  // A transport of this world, not started. The world fills in where to go and how to log in; the test says the rest. It goes
  // before the world.
  virtual std::unique_ptr<Transport> make(TransportOptions options = {}) = 0;

  // Whether what it runs on can be taken away and given back.
  virtual bool has_trouble() const { return false; }
  // From now on nobody reaches it; what is in it stays.
  virtual void trouble() {}
  virtual void recover() {}
};

// A row of the suite.
struct TransportWorldKind {
  const char* name;
  // Why it cannot be had on this machine; empty: it can.
  std::string (*missing)();
  std::unique_ptr<TransportWorld> (*make)();
};
inline void PrintTo(const TransportWorldKind& kind, std::ostream* out) {
  *out << kind.name;
}

}  // namespace eilbote::test
