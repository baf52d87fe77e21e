// Every way Microsoft Graph can answer at every step of a mail has its one end: sent once, failed with Graph's own code, or waiting
// for a person. Attempts that were only put off are not counted.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/graph_scenario.h"

namespace eilbote::test::every_fault_of_graph_has_its_end {
namespace {

using namespace std::chrono_literals;

struct FaultCase {
  std::string name;
  GraphStep step;
  GraphFault fault;
  std::string want;    // the mail's state
  std::string code{};  // in the last error of one that failed
};

const FaultCase kCases[] = {
    {"token_throttled", GraphStep::token, GraphFault::throttled(), "SENT"},
    {"token_503", GraphStep::token, GraphFault::broken(503, false), "SENT"},
    {"token_reset", GraphStep::token, GraphFault::reset(false), "SENT"},
    {"create_throttled", GraphStep::create, GraphFault::throttled(), "SENT"},
    {"create_throttled_without_a_time", GraphStep::create, GraphFault::throttled(std::nullopt), "SENT"},
    {"create_500_before", GraphStep::create, GraphFault::broken(500, false), "SENT"},
    {"create_500_after", GraphStep::create, GraphFault::broken(500, true), "SENT"},
    {"create_hangs_after", GraphStep::create, GraphFault::hang(true), "SENT"},
    {"create_reset_after", GraphStep::create, GraphFault::reset(true), "SENT"},
    {"create_400", GraphStep::create, GraphFault::refused(400, "ErrorInvalidRecipients"), "FAILED",
     "ErrorInvalidRecipients"},
    {"create_404", GraphStep::create, GraphFault::refused(404, "ErrorInvalidUser"), "FAILED",
     "ErrorInvalidUser"},
    {"create_413", GraphStep::create, GraphFault::refused(413, "RequestEntityTooLarge"), "FAILED",
     "RequestEntityTooLarge"},
    {"create_409", GraphStep::create, GraphFault::refused(409, "ErrorIrresolvableConflict"), "SENT"},
    {"create_423", GraphStep::create, GraphFault::refused(423, "ErrorLocked"), "SENT"},
    {"send_throttled", GraphStep::send, GraphFault::throttled(), "SENT"},
    {"send_503_before", GraphStep::send, GraphFault::broken(503, false), "SENT"},
    {"send_503_after", GraphStep::send, GraphFault::broken(503, true), "SENT"},
    {"send_504_after", GraphStep::send, GraphFault::broken(504, true), "SENT"},
    {"send_hangs_before", GraphStep::send, GraphFault::hang(false), "SENT"},
    {"send_hangs_after", GraphStep::send, GraphFault::hang(true), "SENT"},
    {"send_reset_before", GraphStep::send, GraphFault::reset(false), "SENT"},
    {"send_reset_after", GraphStep::send, GraphFault::reset(true), "SENT"},
    {"send_202_with_retry_after", GraphStep::send, GraphFault::slow_down(), "SENT"},
    {"send_400", GraphStep::send, GraphFault::refused(400, "ErrorInvalidRecipients"), "FAILED",
     "ErrorInvalidRecipients"},
};

class EveryFaultOfGraph : public GraphScenario {};
INSTANTIATE_TEST_SUITE_P(Stores, EveryFaultOfGraph, testing::Values(StoreKind::sqlite), store_name);

// One server for all: a fault is met by the mail that is handed in after it was set.
TEST_P(EveryFaultOfGraph, has_its_end) {
  for (const char* batch : {"1", "20"}) {
    ScriptedGraph tenant({.leaves_after = 200ms});
    const auto server = start_with(tenant, {{"EILBOTE_GRAPH_BATCH", batch}});
    const MailApi api(*server);
    for (const FaultCase& one : kCases) {
      SCOPED_TRACE(one.name + ", batches of " + batch);
      if (one.step == GraphStep::token) tenant.revoke_tokens();
      const int before = tenant.requests(one.step);
      tenant.set_faults([&one, before](GraphStep step, int number) {
        return step == one.step && number == before + 1 ? one.fault : GraphFault{};
      });
      const std::string id = api.accept(mail_of("sender@example.org", "ann@example.net"));
      EXPECT_TRUE(api.reaches(id, one.want, 1min))
          << json::serialize(api.message(id)) << json::serialize(api.attempts(id));
      EXPECT_GT(tenant.requests(one.step), before) << "the step was never taken";
      const auto times = times_sent(tenant);
      EXPECT_EQ(times.contains(id) ? times.at(id) : 0, one.want == "SENT" ? 1 : 0);
      if (!one.code.empty()) {
        EXPECT_NE(json::serialize(api.message(id)).find(one.code), std::string::npos)
            << json::serialize(api.message(id));
      }
    }
    EXPECT_EQ(tenant.all_violations(), "");
  }
}

// Nobody's mail is at fault when the application may not do it: mails wait until somebody has mended that.
TEST_P(EveryFaultOfGraph, of_permission_lets_mails_wait_for_a_person) {
  ScriptedGraph tenant({}, every_time(GraphStep::create, GraphFault::refused(403, "ErrorAccessDenied")));
  const auto server = start_with(tenant);
  const MailApi api(*server);
  const std::string id = api.accept(mail_of("sender@example.org", "ann@example.net"));
  EXPECT_TRUE(eventually([&] { return tenant.requests(GraphStep::create) > 0; }));
  EXPECT_TRUE(throughout([&] { return api.status(id) != "FAILED"; }, 1s)) << json::serialize(api.message(id));
  tenant.set_faults({});
  EXPECT_TRUE(api.reaches(id, "SENT", 3min)) << json::serialize(api.message(id));
  EXPECT_EQ(tenant.sent_items().size(), 1U);
}

// Members of one $batch fail each for itself.
TEST_P(EveryFaultOfGraph, in_a_batch_is_its_members_own) {
  ScriptedGraph tenant({.mailboxes = mailboxes(10), .think = 20ms}, [](GraphStep step, int number) {
    return step == GraphStep::send && number % 3 == 0 ? GraphFault::broken(503, number % 2 == 0)
                                                      : GraphFault{};
  });
  const auto server = start_with(tenant);
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i)
    ids.push_back(api.accept(mail_of(mailboxes(10)[static_cast<std::size_t>(i) % 10], "ann@example.net")));
  EXPECT_EQ(not_all(api, {"SENT"}, 1min), "");
  const auto times = times_sent(tenant);
  for (const std::string& id : ids)
    EXPECT_EQ(times.contains(id) ? times.at(id) : 0, 1) << id << json::serialize(api.attempts(id));
  EXPECT_GT(tenant.requests(GraphStep::batch), 0) << "nothing was put together";
  EXPECT_EQ(tenant.all_violations(), "");
}

}  // namespace
}  // namespace eilbote::test::every_fault_of_graph_has_its_end
