// A request that fails by a fault in the server answers with a trace id and no reason; the reason is in the log under
// that id.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/raw_sql.h"
#include "support/test_store.h"

namespace eilbote::test::a_failed_request_is_found_in_the_log {
namespace {

using testing::HasSubstr;
using testing::Not;

SCENARIO_ON_EACH_STORE(AFailedRequest);

// Whether a line of a log has both texts.
bool has_line(const std::string& log, const std::string& one, const std::string& other) {
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (line.find(one) != std::string::npos && line.find(other) != std::string::npos) return true;
    at = end + 1;
  }
  return false;
}

TEST_P(AFailedRequest, is_found_in_the_log_by_its_trace_id) {
  const auto server = start_server();
  const auto sql = on_postgres() ? open_raw_postgres(database_url())
                                 : open_raw_sqlite(server->data_folder() + "/eilbote.db");
  sql->run("DROP TABLE audit_log");
  const HttpReply reply = server->get("/audit");
  EXPECT_EQ(reply.status, 500) << reply.body;
  EXPECT_THAT(reply.body, Not(HasSubstr("audit_log")));
  const json::value problem = json::parse(reply.body);
  EXPECT_THAT(text_at(problem, "/detail"), HasSubstr("under this trace id"));
  const std::string trace = text_at(problem, "/traceId");
  ASSERT_FALSE(trace.empty());
  EXPECT_TRUE(eventually([&] { return has_line(read_text_file(server->log_file()), "audit_log", trace); }))
      << read_text_file(server->log_file());
}

}  // namespace
}  // namespace eilbote::test::a_failed_request_is_found_in_the_log
