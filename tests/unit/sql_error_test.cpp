// What PostgreSQL's SQLSTATEs mean for whoever asked: try again, ask what became of it, or never again.
#include "store/postgres/sql_error.h"

#include <gtest/gtest.h>

namespace eilbote::postgres::sql_error_test {
namespace {

TEST(SqlError, says_whether_asking_again_may_help) {
  struct Case {
    const char* sqlstate;
    ErrorKind kind, at_commit;
  };
  const auto rejected = ErrorKind::rejected_data, away = ErrorKind::unavailable, fault = ErrorKind::internal;
  const Case cases[] = {
      {"22021", rejected, rejected},          // a text it cannot keep
      {"23505", rejected, rejected},          // a key that is there
      {"08006", away, ErrorKind::ambiguous},  // the connection
      {"57P01", away, ErrorKind::ambiguous},  // shut down by an operator
      {"57P02", away, ErrorKind::ambiguous},  // after a crash
      {"25P03", away, ErrorKind::ambiguous},  // this process was frozen
      {"53100", away, away},                  // the disk is full
      {"53300", away, away},                  // too many connections
      {"57014", away, away},                  // cancelled
      {"55P03", away, away},                  // a lock that did not come
      {"25006", away, away},                  // a standby
      {"40001", away, away},                  // lost a race
      {"40P01", away, away},                  // a deadlock
      {"42703", fault, fault},                // no such column
      {"", fault, fault},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_kind(c.sqlstate, false), c.kind) << c.sqlstate;
    EXPECT_EQ(error_kind(c.sqlstate, true), c.at_commit) << c.sqlstate << " at the commit";
  }
}

TEST(SqlError, a_lost_link_says_how_it_ended) {
  EXPECT_EQ(lost_link(true, "whatever"), "the connection was lost: no answer in 30 s");
  EXPECT_EQ(lost_link(false, "reset by peer"), "the connection was lost: reset by peer");
  EXPECT_EQ(lost_link(false, ""), "the connection was lost: the server ended it");
}

}  // namespace
}  // namespace eilbote::postgres::sql_error_test
