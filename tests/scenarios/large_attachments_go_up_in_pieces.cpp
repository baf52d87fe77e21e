// Attachments that are too large for one request go up to Microsoft Graph piece by piece, and arrive whole, once, whatever happens
// in the middle.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/token_maker.h"

namespace eilbote::test::large_attachments_go_up_in_pieces {
namespace {

using namespace std::chrono_literals;

class LargeAttachments : public GraphScenario {
 protected:
  Settings roomy() const {
    return {{"EILBOTE_ATTACHMENT_BYTES_MAX", "40MiB"},
            {"EILBOTE_ATTACHMENT_TOTAL_BYTES_MAX", "40MiB"},
            {"EILBOTE_HTTP_BODY_BYTES_MAX", "64MiB"},
            {"EILBOTE_GRAPH_TIMEOUT", "5s"}};
  }
  // Bytes that are nowhere the same.
  static std::string bytes(std::size_t size) {
    std::string all(size, '\0');
    std::uint32_t state = 2463534242;
    for (char& c : all) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      c = static_cast<char>(state);
    }
    return all;
  }
  static std::string with_file(const std::string& file, const std::string& more = "") {
    return mail_of(
        "sender@example.org", "ann@example.net",
        R"("attachments":[{"name":"large.bin","contentType":"application/octet-stream","content":")" +
            base64url(file) + R"("})" + more + "]");
  }
  static void expect_whole(const ScriptedGraph& tenant, const std::string& id, const std::string& file) {
    const auto sent = tenant.sent_items();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].eilbote_id, id);
    int times = 0;
    for (const GraphAttachment& one : sent[0].attachments) {
      if (one.name != "large.bin") continue;
      ++times;
      EXPECT_TRUE(one.bytes == file) << one.bytes.size() << " bytes instead of " << file.size();
    }
    EXPECT_EQ(times, 1);
    EXPECT_EQ(tenant.all_violations(), "");
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, LargeAttachments, testing::Values(StoreKind::sqlite), store_name);

TEST_P(LargeAttachments, whole_and_beside_small_ones) {
  ScriptedGraph tenant;
  const auto server = start_with(tenant, roomy());
  const MailApi api(*server);
  const std::string file = bytes(20 * 1024 * 1024 + 7);
  const std::string id =
      api.accept(with_file(file, R"(,{"name":"small.txt","contentType":"text/plain","content":"aGVsbG8"})"));
  ASSERT_TRUE(api.reaches(id, "SENT", 1min)) << json::serialize(api.message(id)) << tenant.all_violations();
  expect_whole(tenant, id, file);
  EXPECT_EQ(tenant.sent_items().at(0).attachments.size(), 2U);
}

TEST_P(LargeAttachments, whatever_happens_in_the_middle) {
  const std::string file = bytes(9 * 1024 * 1024);
  const GraphFault kFaults[] = {GraphFault::broken(503, false), GraphFault::broken(500, true),
                                GraphFault::reset(false),       GraphFault::reset(true),
                                GraphFault::throttled(),        GraphFault::hang(true)};
  for (const GraphFault& fault : kFaults) {
    SCOPED_TRACE(testing::Message() << "status " << fault.status << ", kind " << static_cast<int>(fault.how)
                                    << (fault.after ? ", after" : ", before"));
    ScriptedGraph tenant({}, [&](GraphStep step, int number) {
      return step == GraphStep::upload && number == 2 ? fault : GraphFault{};
    });
    const auto server = start_with(tenant, roomy());
    const MailApi api(*server);
    const std::string id = api.accept(with_file(file));
    ASSERT_TRUE(api.reaches(id, "SENT", 1min))
        << json::serialize(api.message(id)) << json::serialize(api.attempts(id));
    expect_whole(tenant, id, file);
  }
}

TEST_P(LargeAttachments, also_when_the_server_is_killed_in_the_middle) {
  ScriptedGraph tenant({.think = 100ms});
  const auto server = start_with(tenant, roomy());
  const MailApi api(*server);
  const std::string file = bytes(16 * 1024 * 1024);
  const std::string id = api.accept(with_file(file));
  ASSERT_TRUE(eventually([&] { return tenant.requests(GraphStep::upload) >= 2; }));
  server->kill_hard();
  server->start();
  ASSERT_TRUE(api.reaches(id, "SENT", 1min))
      << json::serialize(api.message(id)) << json::serialize(api.attempts(id));
  expect_whole(tenant, id, file);
}

}  // namespace
}  // namespace eilbote::test::large_attachments_go_up_in_pieces
