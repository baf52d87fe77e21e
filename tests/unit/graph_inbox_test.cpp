// What comes into watched inboxes: the poll finds it page by page, once; the reader tells reports from other mail, hands them to the
// desk and is done with them only then.
#include <gtest/gtest.h>

#include <set>

#include "channel/graph_inbox_poll.h"
#include "channel/graph_inbox_reader.h"
#include "support/metric_value.h"
#include "support/watch_fakes.h"

namespace eilbote::test::graph_inbox_test {
namespace {

using namespace std::chrono_literals;

const std::string kMailbox = "o'brien@example.org";
const std::string kUser = "/users/o%27brien%40example.org";

struct Inbox {
  Inbox() {
    options.poll_every = 5min;
    WatchedMailbox row;
    row.mailbox = kMailbox;
    store.set(row);
    mailbox.row = row;
  }
  int look() {
    KeptMailbox* all[] = {&mailbox};
    return poll.look(all, stop.get_token());
  }
  bool is_due_in(Duration wait) const { return mailbox.poll.due == clock.steady_now() + wait; }

  FakeClock clock;
  WatchJournal journal;
  GraphOptions options;
  AnsweringDoor door{journal};
  MemoryMailboxWatch store{journal};
  KeptMailbox mailbox{WatchedMailbox{}};
  GraphInboxPoll poll{options, door, store, clock};
  std::stop_source stop;
};

GraphAnswer page(const std::string& messages, const std::string& kind, const std::string& link) {
  return door_answer(200, R"({"value":[)" + messages + R"(],"@odata.)" + kind + R"(":")" + link + R"("})");
}

TEST(GraphInboxPoll, begins_a_few_hours_ago_and_follows_the_pages) {
  Inbox inbox;
  inbox.door.answer = [](const GraphCall& call) {
    if (call.path == "https://graph/page2")
      return page(R"({"id":"b"},{"id":"c","@removed":{"reason":"deleted"}})", "deltaLink",
                  "https://graph/end");
    return page(R"({"id":"a"})", "nextLink", "https://graph/page2");
  };
  EXPECT_EQ(inbox.look(), 1);
  EXPECT_TRUE(inbox.is_due_in(0s)) << "there is another page";
  EXPECT_EQ(inbox.look(), 1);
  EXPECT_TRUE(inbox.is_due_in(5min));
  EXPECT_EQ(inbox.journal.lines(),
            (std::vector<std::string>{
                "GET " + kUser +
                    "/mailFolders/inbox/messages/delta?changeType=created&$select=id,receivedDateTime"
                    "&$filter=receivedDateTime%20ge%202025-12-31T18%3A00%3A00.000Z",
                "add 1", "save subscription= state=none link=https://graph/page2", "GET https://graph/page2",
                "add 1", "save subscription= state=none link=https://graph/end"}))
      << "messages are on record before the link that leads past them";
}

// The crash between the messages and the link: the page is read again.
TEST(GraphInboxPoll, a_page_whose_link_was_not_saved_is_read_again_without_harm) {
  Inbox inbox;
  inbox.door.answer = [](const GraphCall&) {
    return page(R"({"id":"a"},{"id":"b"})", "deltaLink", "https://graph/end");
  };
  inbox.store.fail_next("save");
  EXPECT_EQ(inbox.look(), 0);
  EXPECT_EQ(inbox.mailbox.row.delta_link, "");
  EXPECT_TRUE(inbox.is_due_in(10s));
  EXPECT_EQ(inbox.look(), 0) << "both are known";
  EXPECT_EQ(inbox.store.waiting_count(), 2U);
  EXPECT_EQ(inbox.store.row(kMailbox).delta_link, "https://graph/end");
}

TEST(GraphInboxPoll, a_link_is_not_saved_when_its_messages_are_not) {
  Inbox inbox;
  inbox.door.answer = [](const GraphCall&) {
    return page(R"({"id":"a"})", "deltaLink", "https://graph/end");
  };
  inbox.store.fail_next("add");
  EXPECT_EQ(inbox.look(), 0);
  EXPECT_EQ(inbox.store.row(kMailbox).delta_link, "");
}

TEST(GraphInboxPoll, begins_anew_some_days_ago_when_graph_has_forgotten_the_link) {
  for (const auto& [status, code] :
       {std::pair(410, "Gone"), {404, "syncStateNotFound"}, {400, "BadRequest"}}) {
    Inbox inbox;
    inbox.mailbox.row.delta_link = "https://graph/old";
    inbox.store.set(inbox.mailbox.row);
    inbox.door.answer = [status = status, code = code](const GraphCall& call) {
      return call.path == "https://graph/old" ? door_answer(status, "", code)
                                              : page("", "deltaLink", "https://graph/new");
    };
    inbox.look();
    EXPECT_TRUE(inbox.is_due_in(0s)) << code;
    EXPECT_EQ(inbox.store.row(kMailbox).delta_link, "https://graph/old")
        << "a crash here finds out the same again";
    inbox.look();
    EXPECT_EQ(inbox.journal.count("GET " + kUser), 1U);
    EXPECT_NE(inbox.journal.lines().at(1).find("2025-12-26T00"), std::string::npos)
        << inbox.journal.lines().at(1);
    EXPECT_EQ(inbox.store.row(kMailbox).delta_link, "https://graph/new");
    EXPECT_FALSE(inbox.mailbox.read_anew);
  }
}

TEST(GraphInboxPoll, failures_wait_and_keep_the_link) {
  const std::pair<const char*, GraphAnswer> cases[] = {
      {"503", door_answer(503)},
      {"404 ErrorInvalidUser", door_answer(404, "", "ErrorInvalidUser")},
      {"a page that cannot be read", door_answer(200, "<html>")},
      {"a page that cannot be read", door_answer(200, R"({"value":[]})")},
      {"a page that cannot be read", page("", "nextLink", "https://graph/here")},
  };
  for (const auto& [trouble, answer] : cases) {
    Inbox inbox;
    inbox.mailbox.row.delta_link = "https://graph/here";
    inbox.door.answer = [&answer = answer](const GraphCall&) { return answer; };
    EXPECT_EQ(inbox.look(), 0);
    EXPECT_EQ(inbox.mailbox.poll.trouble, trouble);
    EXPECT_EQ(inbox.mailbox.row.delta_link, "https://graph/here");
    EXPECT_TRUE(inbox.is_due_in(10s));
  }
}

TEST(GraphInboxPoll, what_the_notifier_missed_is_forgotten_when_it_is_being_read) {
  Inbox inbox;
  inbox.options.poll_every = 0s;
  inbox.mailbox.row.wants = GraphLifecycle::resync;
  inbox.store.set(inbox.mailbox.row);
  inbox.door.answer = [](const GraphCall&) { return door_answer(503); };
  inbox.look();
  EXPECT_EQ(inbox.store.row(kMailbox).wants, GraphLifecycle::resync);
  inbox.door.answer = [](const GraphCall&) { return page("", "deltaLink", "https://graph/end"); };
  inbox.look();
  EXPECT_EQ(inbox.store.row(kMailbox).wants, std::nullopt);
  EXPECT_EQ(inbox.mailbox.poll.due, Clock::Steady::max()) << "it was not asked to poll";

  inbox.mailbox.row.wants = GraphLifecycle::create;
  inbox.store.set(inbox.mailbox.row);
  inbox.look();
  EXPECT_EQ(inbox.store.row(kMailbox).wants, GraphLifecycle::create) << "that is the subscription's";
  EXPECT_EQ(inbox.mailbox.row.wants, GraphLifecycle::create);
}

// ---- the reader ----

TEST(GraphInboxReader, knows_what_may_be_a_report) {
  const struct {
    const char* name;
    InboxMessage message;
    bool want;
  } cases[] = {
      {"bounce", {"", "REPORT.IPM.Note.NDR", "", {}}, true},
      {"receipt, other case", {"", "report.ipm.note.dr", "", {}}, true},
      {"delayed", {"", "REPORT.IPM.Note.Delayed.DR", "", {}}, true},
      {"read", {"", "REPORT.IPM.Note.IPNRN", "", {}}, false},
      {"deleted unread", {"", "Report.IPM.Note.IPNNRN", "", {}}, false},
      {"ordinary mail", {"", "IPM.Note", "ada@example.org", {{"Return-Path", "<ada@example.org>"}}}, false},
      {"out of office", {"", "IPM.Note.Rules.OofTemplate.Microsoft", "", {{"Return-Path", "<>"}}}, false},
      {"invitation", {"", "IPM.Schedule.Meeting.Request", "postmaster@example.org", {}}, false},
      {"a report that is not known as one",
       {"", "IPM.Note", "", {{"content-type", "Multipart/Report; report-type=delivery-status"}}},
       true},
      {"a read receipt that is not known as one",
       {"", "IPM.Note", "", {{"Content-Type", "multipart/report; report-type=disposition-notification"}}},
       false},
      {"Exim", {"", "IPM.Note", "", {{"X-Failed-Recipients", "a@example.org"}}}, true},
      {"qmail", {"", "IPM.Note", "MAILER-DAEMON@example.org", {}}, true},
      {"nobody's", {"", "IPM.Note", "x@example.org", {{"Return-Path", "<>"}}}, true},
      {"nobody's answer",
       {"", "IPM.Note", "x@example.org", {{"Return-Path", "<>"}, {"Auto-Submitted", "auto-replied"}}},
       false},
      {"without a class", {"", "", "x@example.org", {}}, false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(may_be_report(c.message), c.want) << c.name;
}

struct Desk {
  Desk() {
    door.answer = [this](const GraphCall& call) -> std::optional<GraphAnswer> {
      const std::string id = call.path.substr((kUser + "/messages/").size());
      if (gone.contains(id.substr(0, 2))) return door_answer(404, "", "ErrorItemNotFound");
      if (refuse_with.status != 0 || refuse_with.fault != ExchangeFault::none) return refuse_with;
      if (call.path.ends_with("/$value")) return door_answer(200, "the whole of " + id.substr(0, 2));
      const std::string kind = id.starts_with('r') ? "REPORT.IPM.Note.NDR" : "IPM.Note";
      return door_answer(
          200,
          R"({"id":")" + id.substr(0, 2) +
              R"(","singleValueExtendedProperties":[{"id":"String 0x1a","value":"no"},{"id":"String 0x001A","value":")" +
              kind + R"("}]})");
    };
  }
  void notice(const std::string& id) {
    MailNotice notice;
    notice.mailbox = kMailbox;
    notice.message_id = id;
    ASSERT_TRUE(store.add(std::span(&notice, 1)));
  }
  Result<bool> read() {
    const std::string names[] = {kMailbox};
    return reader.read_some(names, stop.get_token());
  }
  std::optional<double> counted(const std::string& outcome) {
    return metric_value(metrics, "eilbote_graph_inbox_messages_total{outcome=\"" + outcome + "\"}");
  }

  WatchJournal journal;
  Metrics metrics;
  AnsweringDoor door{journal};
  MemoryMailboxWatch store{journal};
  std::vector<std::pair<std::string, std::string>> taken;
  std::optional<Error> refusal;
  GraphInboxReader reader{door, store,
                          [this](std::string_view raw, std::string key) -> Result<void> {
                            taken.emplace_back(raw, key);
                            if (refusal) return fail(*refusal);
                            return {};
                          },
                          metrics};
  std::stop_source stop;
  std::set<std::string> gone;
  GraphAnswer refuse_with;
};

TEST(GraphInboxReader, hands_reports_to_the_desk_and_is_done_with_the_rest) {
  Desk desk;
  desk.gone = {"g1"};
  for (const char* id : {"m1", "r1", "g1", "r2"})
    desk.notice(id);
  const auto more = desk.read();
  ASSERT_TRUE(more);
  EXPECT_FALSE(*more);
  EXPECT_EQ(desk.taken, (std::vector<std::pair<std::string, std::string>>{{"the whole of r1", "graph:r1"},
                                                                          {"the whole of r2", "graph:r2"}}));
  EXPECT_EQ(desk.store.waiting_count(), 0U);
  EXPECT_EQ(desk.journal.lines().at(4),
            "GET " + kUser +
                "/messages/m1?$select=id,from,internetMessageHeaders"
                "&$expand=singleValueExtendedProperties($filter=id%20eq%20'String%200x001A')");
  EXPECT_EQ(desk.counted("report"), 2);
  EXPECT_EQ(desk.counted("other"), 1);
  EXPECT_EQ(desk.counted("gone"), 1);
}

TEST(GraphInboxReader, reads_a_bounded_number_at_a_time) {
  Desk desk;
  for (int i = 0; i < GraphInboxReader::kTogether + 1; ++i)
    desk.notice("m" + std::string(1, static_cast<char>('a' + i)));
  EXPECT_EQ(*desk.read(), true);
  EXPECT_EQ(desk.store.waiting_count(), 1U);
  EXPECT_EQ(*desk.read(), false);
  EXPECT_EQ(desk.store.waiting_count(), 0U);
}

// The crash between the desk and the record: the message comes again, under the same key.
TEST(GraphInboxReader, brings_a_message_again_when_it_could_not_be_written_down) {
  Desk desk;
  desk.notice("r1");
  desk.store.fail_next("read");
  EXPECT_FALSE(desk.read());
  EXPECT_EQ(desk.store.waiting_count(), 1U);
  ASSERT_TRUE(desk.read());
  ASSERT_EQ(desk.taken.size(), 2U);
  EXPECT_EQ(desk.taken[0].second, desk.taken[1].second);
  EXPECT_EQ(desk.store.waiting_count(), 0U);
}

TEST(GraphInboxReader, puts_off_what_cannot_be_read_now_and_never_gives_up_on_an_outage) {
  Desk desk;
  desk.notice("r1");
  for (const GraphAnswer& answer :
       {door_answer(503), door_answer(403, "", "ErrorAccessDenied"), door_answer(401)})
    for (int i = 0; i < 5; ++i) {
      desk.refuse_with = answer;
      desk.store.put_back();
      ASSERT_TRUE(desk.read());
      EXPECT_EQ(desk.store.waiting_count(), 1U);
    }
  const auto lines = desk.journal.lines();
  EXPECT_EQ(desk.journal.count("put off"), 15U);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "put off for 10 s"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "put off for 40 s"), lines.end());
  EXPECT_EQ(lines.back(), "put off for 3600 s");
  desk.refuse_with = {};
  desk.store.put_back();
  ASSERT_TRUE(desk.read());
  EXPECT_EQ(desk.taken.size(), 1U);
  EXPECT_EQ(desk.store.waiting_count(), 0U);
}

TEST(GraphInboxReader, waits_as_long_as_graph_asks_for) {
  Desk desk;
  desk.notice("r1");
  desk.refuse_with = door_answer(429, "", "TooManyRequests");
  desk.refuse_with.retry_after = 77s;
  ASSERT_TRUE(desk.read());
  EXPECT_EQ(desk.journal.lines().back(), "put off for 77 s");
}

TEST(GraphInboxReader, leaves_a_message_alone_that_is_refused_again_and_again) {
  GraphAnswer too_large;
  too_large.fault = ExchangeFault::bad_response;
  for (const bool by_desk : {false, true}) {
    Desk desk;
    desk.notice("r1");
    if (by_desk)
      desk.refusal = Error{ErrorKind::invalid, "no"};
    else
      desk.refuse_with = too_large;
    for (int i = 0; i < GraphInboxReader::kTriesMax; ++i) {
      EXPECT_EQ(desk.store.waiting_count(), 1U) << i;
      desk.store.put_back();
      ASSERT_TRUE(desk.read());
    }
    EXPECT_EQ(desk.store.waiting_count(), 0U);
    EXPECT_EQ(desk.counted("given-up"), 1);
  }
}

TEST(GraphInboxReader, a_database_that_is_away_is_no_fault_of_the_message) {
  Desk desk;
  desk.notice("r1");
  desk.refusal = Error{ErrorKind::unavailable, "away"};
  for (int i = 0; i < 2 * GraphInboxReader::kTriesMax; ++i) {
    desk.store.put_back();
    ASSERT_TRUE(desk.read());
  }
  EXPECT_EQ(desk.store.waiting_count(), 1U);
}

TEST(GraphInboxReader, a_stop_leaves_notices_as_they_are) {
  Desk desk;
  desk.notice("r1");
  desk.door.answer = [&](const GraphCall&) -> std::optional<GraphAnswer> {
    desk.stop.request_stop();
    return std::nullopt;
  };
  ASSERT_TRUE(desk.read());
  EXPECT_EQ(desk.store.waiting_count(), 1U);
  EXPECT_EQ(desk.journal.count("put off"), 0U);
}

}  // namespace
}  // namespace eilbote::test::graph_inbox_test
