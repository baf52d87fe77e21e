// What people may have a pool be: every limit on both sides, and all faults at once.
#include "domain/pool.h"

#include <gtest/gtest.h>

#include "domain/fault.h"

namespace eilbote::pool_test {
namespace {

Pool good() {
  Pool pool;
  pool.code = "bulk";
  pool.name = "Bulk";
  return pool;
}

struct Case {
  const char* name;
  void (*change)(Pool&);
  std::vector<std::string> faults;  // pointers
};

TEST(Pools, what_may_be) {
  const std::vector<Case> table{
      {"as it is", [](Pool&) {}, {}},
      {"all at their least",
       [](Pool& p) {
         p.code = "a";
         p.name = "x";
         p.rate_limit_per_minute = 1;
         p.burst = p.concurrency = 1;
       },
       {}},
      {"all at their most",
       [](Pool& p) {
         p.code = std::string(64, 'z');
         p.name = std::string(100, 'x');
         p.rate_limit_per_minute = 1'000'000;
         p.burst = 100'000;
         p.concurrency = 10'000;
       },
       {}},
      {"a code with everything in it", [](Pool& p) { p.code = "0a.b_c-9"; }, {}},
      {"100 characters, not bytes",
       [](Pool& p) {
         p.name.clear();
         for (int i = 0; i < 100; ++i)
           p.name += "ü";
       },
       {}},
      {"no code", [](Pool& p) { p.code.clear(); }, {"/code"}},
      {"a long code", [](Pool& p) { p.code = std::string(65, 'a'); }, {"/code"}},
      {"capitals", [](Pool& p) { p.code = "Bulk"; }, {"/code"}},
      {"a dot first", [](Pool& p) { p.code = ".bulk"; }, {"/code"}},
      {"a dash first", [](Pool& p) { p.code = "-bulk"; }, {"/code"}},
      {"a blank", [](Pool& p) { p.code = "bulk mail"; }, {"/code"}},
      {"a slash", [](Pool& p) { p.code = "bulk/mail"; }, {"/code"}},
      {"beyond ASCII", [](Pool& p) { p.code = "gr\u00fcn"; }, {"/code"}},
      {"no name", [](Pool& p) { p.name.clear(); }, {"/name"}},
      {"a long name", [](Pool& p) { p.name = std::string(101, 'x'); }, {"/name"}},
      {"a name of two lines", [](Pool& p) { p.name = "a\nb"; }, {"/name"}},
      {"rate 0", [](Pool& p) { p.rate_limit_per_minute = 0; }, {"/rateLimitPerMinute"}},
      {"rate too high", [](Pool& p) { p.rate_limit_per_minute = 1'000'001; }, {"/rateLimitPerMinute"}},
      {"burst 0", [](Pool& p) { p.burst = 0; }, {"/burst"}},
      {"burst too high", [](Pool& p) { p.burst = 100'001; }, {"/burst"}},
      {"concurrency 0", [](Pool& p) { p.concurrency = 0; }, {"/concurrency"}},
      {"concurrency below 0", [](Pool& p) { p.concurrency = -1; }, {"/concurrency"}},
      {"concurrency too high", [](Pool& p) { p.concurrency = 10'001; }, {"/concurrency"}},
      {"everything wrong",
       [](Pool& p) {
         p.code = p.name = "";
         p.rate_limit_per_minute = -1;
         p.burst = p.concurrency = 0;
       },
       {"/code", "/name", "/rateLimitPerMinute", "/burst", "/concurrency"}},
  };
  for (const Case& row : table) {
    Pool pool = good();
    row.change(pool);
    std::vector<std::string> pointers;
    for (const Fault& fault : check_pool(pool)) {
      pointers.push_back(fault.pointer);
      EXPECT_NE(fault.detail.find("must be"), std::string::npos) << fault.detail;
    }
    EXPECT_EQ(pointers, row.faults) << row.name;
  }
}

}  // namespace
}  // namespace eilbote::pool_test
