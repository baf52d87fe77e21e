// The way of one mail through Graph: every turn it can take, and what is asked and sent on it.
#include "channel/graph_letter.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "domain/json_members.h"
#include "support/graph_world.h"

namespace eilbote::test::graph_letter_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSentOne = R"({"value":[{"id":"S1","isDraft":false}]})";
constexpr const char* kStillADraft = R"({"id":"D1","isDraft":true})";
constexpr const char* kSent = R"({"id":"D1","isDraft":false})";

class GraphLetterTest : public ::testing::Test, public GraphWorld {
 protected:
  std::string asked() const { return in_one_line(door->names()); }
};

Mail mail_with_html() {
  Mail mail = GraphWorld::mail();
  mail.html = "<p>Something else</p>";
  return mail;
}

Mail mail_with_files(std::initializer_list<std::size_t> sizes) {
  Mail mail = GraphWorld::mail();
  for (const std::size_t size : sizes) {
    std::string content(size, 'x');
    for (std::size_t i = 0; i < size; i += 1000)
      content[i] = static_cast<char>('a' + i / 1000 % 26);
    mail.attachments.push_back({"file" + std::to_string(size), "application/pdf", content, "", false});
  }
  return mail;
}

// ---- without trouble ----

TEST_F(GraphLetterTest, makes_a_draft_puts_it_on_record_and_sends_it) {
  const DeliveryResult result = deliver(delivery(1));
  EXPECT_EQ(said(result), "delivered D1");
  EXPECT_EQ(asked(), "create, send");
  EXPECT_EQ(result.response_code, 202);
  ASSERT_EQ(result.recipients.size(), 2U);
  for (const RecipientResult& one : result.recipients)
    EXPECT_EQ(one.status, RecipientStatus::taken);
  const auto draft = book.draft(JobId{1});
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->id, "D1");
  EXPECT_EQ(draft->mailbox, kMailbox);
  EXPECT_EQ(draft->internet_message_id, "<d@graph>");
  EXPECT_EQ(book.find_calls(), 1) << "the book is asked, whatever the mail's counters say";
  EXPECT_EQ(door->calls("create")[0].path, "/users/billing%40contoso.example/messages");
  EXPECT_EQ(door->calls("send")[0].path, "/users/billing%40contoso.example/messages/D1/send");
}

TEST_F(GraphLetterTest, does_not_mind_a_retry_after_on_a_success) {
  GraphAnswer answer;
  answer.status = 202;
  answer.retry_after = 30s;
  door->answer("send", answer);
  EXPECT_EQ(said_of(delivery(1)), "delivered D1");
}

TEST_F(GraphLetterTest, sends_only_to_those_who_wait) {
  MailDelivery mail = delivery(1);
  mail.content.recipients[0].status = RecipientStatus::taken;
  const DeliveryResult result = deliver(std::move(mail));
  ASSERT_EQ(result.recipients.size(), 1U);
  EXPECT_EQ(result.recipients[0].index, 1);
  EXPECT_EQ(door->calls("create")[0].body.find("ann@example.org"), std::string::npos);
}

TEST_F(GraphLetterTest, marks_a_mime_draft_after_it_was_made) {
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_html())), "delivered D1");
  EXPECT_EQ(asked(), "create, mark, send");
  const GraphCall create = door->calls("create")[0];
  EXPECT_EQ(create.headers[0].second, "text/plain");
  EXPECT_FALSE(create.may_batch);
  EXPECT_TRUE(base64_decode(create.body));
}

TEST_F(GraphLetterTest, refuses_senders_that_are_not_allowed_without_a_request) {
  options.senders = {"sales@contoso.example", "*@fabrikam.example"};
  EXPECT_EQ(said_of(delivery(1)), "permanent GRAPH_SENDER_NOT_ALLOWED");
  Mail other = mail();
  other.from.address = "Anyone@Fabrikam.example";
  EXPECT_EQ(said_of(delivery(2, 0, other)), "delivered D1");
  EXPECT_EQ(asked(), "create, send");
}

TEST_F(GraphLetterTest, ends_a_mail_that_cannot_be_read) {
  MailDelivery mail = delivery(1);
  mail.content.mime = "no mail";
  EXPECT_EQ(said_of(std::move(mail)), "permanent GRAPH_BAD_REQUEST");
  EXPECT_EQ(asked(), "");
}

// ---- leases ----

TEST_F(GraphLetterTest, sends_nothing_that_somebody_else_has) {
  book.lose_lease(JobId{1});
  EXPECT_EQ(said_of(delivery(1)), "released");
  EXPECT_EQ(asked(), "create");
  EXPECT_FALSE(book.draft(JobId{1}));
}

TEST_F(GraphLetterTest, sends_nothing_under_a_lease_it_cannot_trust) {
  int questions = 0;
  still_mine = [&questions] { return ++questions == 1; };  // when it begins, but not when it is about to send
  EXPECT_EQ(said_of(delivery(1)), "released");
  EXPECT_EQ(asked(), "create");
}

TEST_F(GraphLetterTest, waits_for_a_draft_book_that_is_away) {
  book.fail_with(Error{ErrorKind::unavailable, "no database"});
  EXPECT_EQ(said_of(delivery(1)), "deferred GRAPH_DRAFT_BOOK 5s");
  EXPECT_EQ(asked(), "");
  EXPECT_EQ(said_of(delivery(2, 1)), "deferred GRAPH_DRAFT_BOOK 5s");
  EXPECT_EQ(asked(), "") << "who cannot ask must not send";
}

// ---- the draft ----

TEST_F(GraphLetterTest, looks_for_a_draft_whose_creation_got_no_answer) {
  door->lose("create", ExchangeFault::timeout);
  door->answer("search drafts", 200, R"({"value":[{"id":"F1"},{"id":"F2"}]})");
  EXPECT_EQ(said_of(delivery(1)), "delivered F1");
  EXPECT_EQ(asked(), "create, search drafts, remove, send");
  EXPECT_TRUE(door->calls("remove")[0].path.ends_with("/F2"));
  const std::string path = door->calls("search drafts")[0].path;
  EXPECT_NE(path.find("EilboteId"), std::string::npos) << path;
}

TEST_F(GraphLetterTest, looks_for_a_mime_draft_by_its_message_id) {
  door->answer("create", 503);
  door->answer("search drafts", 200, R"({"value":[{"id":"F1"}]})");
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_html())), "delivered F1");
  EXPECT_EQ(asked(), "create, search drafts, mark, send");
  EXPECT_NE(door->calls("search drafts")[0].path.find("internetMessageId%20eq%20"), std::string::npos);
}

TEST_F(GraphLetterTest, tries_later_when_no_draft_was_made) {
  door->answer("create", 500);
  EXPECT_EQ(said_of(delivery(1)), "transient GRAPH_SERVER_ERROR");
  EXPECT_EQ(asked(), "create, search drafts");
  door->lose("create");
  door->lose("search drafts");
  EXPECT_EQ(said_of(delivery(2)), "transient GRAPH_SERVER_ERROR");
}

TEST_F(GraphLetterTest, searches_when_a_draft_was_made_without_its_id) {
  door->answer("create", 201, "{}");
  EXPECT_EQ(said_of(delivery(1)), "transient GRAPH_SERVER_ERROR");
  EXPECT_EQ(asked(), "create, search drafts");
}

TEST_F(GraphLetterTest, says_what_graph_refused) {
  const struct {
    int status;
    const char* code;
    const char* want;
  } cases[] = {
      {400, "ErrorInvalidRecipients", "permanent GRAPH_BAD_REQUEST"},
      {401, "InvalidAuthenticationToken", "configuration GRAPH_AUTH 30s"},
      {403, "ErrorSendAsDenied", "permanent GRAPH_SENDER_DENIED"},
      {404, "ErrorInvalidUser", "permanent GRAPH_MAILBOX_UNKNOWN"},
      {413, "", "permanent GRAPH_TOO_LARGE"},
      {423, "", "transient GRAPH_LOCKED"},
  };
  int id = 0;
  for (const auto& c : cases) {
    door->answer("create", c.status, "", c.code);
    EXPECT_EQ(said_of(delivery(++id)), c.want);
  }
  door->lose("create", ExchangeFault::connect);
  EXPECT_EQ(said_of(delivery(++id)), "route_fault GRAPH_UNREACHABLE") << "nothing was sent: nobody is asked";
  EXPECT_EQ(door->calls("search drafts").size(), 0U);
}

TEST_F(GraphLetterTest, takes_up_a_draft_of_an_earlier_attempt) {
  door->answer("search drafts", 200,
               R"({"value":[{"id":"F1","toRecipients":[{"emailAddress":{"address":"Ann@example.org"}}],
                   "bccRecipients":[{"emailAddress":{"address":"bob@example.org"}}]},{"id":"F2"}]})");
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered F1");
  EXPECT_EQ(asked(), "search drafts, remove, send");
}

TEST_F(GraphLetterTest, makes_a_new_draft_where_the_earlier_one_is_not_the_same) {
  door->answer("search drafts", 200,
               R"({"value":[{"id":"F1","toRecipients":[{"emailAddress":{"address":"ann@example.org"}}]}]})");
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered D1");
  EXPECT_EQ(asked(), "search drafts, remove, create, send") << "it would not go to everybody";
}

TEST_F(GraphLetterTest, asks_the_book_after_a_lost_worker_too) {
  MailDelivery mail = delivery(1);
  mail.job.losses = 1;
  EXPECT_EQ(said_of(std::move(mail)), "delivered D1");
  EXPECT_EQ(book.find_calls(), 1);
  EXPECT_EQ(asked(), "search drafts, create, send");
}

TEST_F(GraphLetterTest, stops_when_the_drafts_cannot_be_searched) {
  door->answer("search drafts", 500);
  EXPECT_EQ(said_of(delivery(1, 1)), "transient GRAPH_SERVER_ERROR");
  EXPECT_EQ(asked(), "search drafts");
}

// ---- attachments ----

TEST_F(GraphLetterTest, adds_attachments_that_do_not_fit_into_the_draft) {
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_files({2'500'000, 2'000'000, 10}))), "delivered D1");
  EXPECT_EQ(asked(), "create, attach, send");
  const boost::json::value attached = parse_json(door->calls("attach")[0].body);
  EXPECT_EQ(eilbote::text_at(attached, {"name"}), "file2000000");
  EXPECT_EQ(base64_decode(eilbote::text_at(attached, {"contentBytes"}))->size(), 2'000'000U);
}

std::string joined_pieces(const std::vector<GraphCall>& pieces) {
  std::string all;
  for (const GraphCall& piece : pieces)
    all += piece.body;
  return all;
}

TEST_F(GraphLetterTest, uploads_large_attachments_in_pieces_without_a_token) {
  const Mail mail = mail_with_files({8'000'000});
  EXPECT_EQ(said_of(delivery(1, 0, mail)), "delivered D1");
  EXPECT_EQ(asked(), "create, open upload, piece, piece, piece, send");
  const auto pieces = door->calls("piece");
  EXPECT_EQ(pieces[0].headers[1].second, "bytes 0-3276799/8000000");
  EXPECT_EQ(pieces[2].headers[1].second, "bytes 6553600-7999999/8000000");
  EXPECT_EQ(joined_pieces(pieces), mail.attachments[0].content);
  for (const GraphCall& piece : pieces) {
    EXPECT_FALSE(piece.with_token);
    EXPECT_LT(piece.body.size(), 4'000'000U);
  }
}

TEST_F(GraphLetterTest, goes_on_with_an_upload_from_where_graph_has_it) {
  door->answer("piece", 200, R"({"nextExpectedRanges":["3276800-"]})");
  door->lose("piece");
  door->answer("ask upload", 200, R"({"nextExpectedRanges":["6553600-7999999"]})");
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_files({8'000'000}))), "delivered D1");
  EXPECT_EQ(asked(), "create, open upload, piece, piece, ask upload, piece, send");
  EXPECT_EQ(door->calls("piece")[2].headers[1].second, "bytes 6553600-7999999/8000000");
}

TEST_F(GraphLetterTest, gives_an_upload_up_that_does_not_get_on) {
  for (int i = 0; i < 10; ++i) {
    door->answer("piece", 503);
    door->answer("ask upload", 200, R"({"nextExpectedRanges":["0-"]})");
  }
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_files({8'000'000}))), "transient GRAPH_SERVER_ERROR");
  EXPECT_LE(door->calls("piece").size(), 5U);
  EXPECT_TRUE(door->calls("send").empty()) << "a draft that is not whole is not sent";
}

TEST_F(GraphLetterTest, ends_where_an_attachment_is_refused) {
  door->answer("attach", 413);
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_files({2'500'000, 2'000'000}))), "permanent GRAPH_TOO_LARGE");
  door->answer("open upload", 201, "{}");
  EXPECT_EQ(said_of(delivery(2, 0, mail_with_files({4'000'000}))), "transient GRAPH_SERVER_ERROR");
  EXPECT_TRUE(door->calls("send").empty());
}

TEST_F(GraphLetterTest, begins_anew_where_a_draft_may_lack_an_attachment) {
  door->answer("search drafts", 200,
               R"({"value":[{"id":"F1","toRecipients":[{"emailAddress":{"address":"ann@example.org"}}],
                   "bccRecipients":[{"emailAddress":{"address":"bob@example.org"}}]}]})");
  EXPECT_EQ(said_of(delivery(1, 1, mail_with_files({4'000'000}))), "delivered D1");
  EXPECT_EQ(asked(), "search drafts, remove, create, open upload, piece, piece, send");
}

// ---- the send ----

TEST_F(GraphLetterTest, looks_at_the_draft_when_the_answer_is_lost) {
  for (const int status : {500, 502, 503, 504}) {
    door->answer("send", status);
    door->answer("look", 200, kSent);
    const DeliveryResult result = deliver(delivery(status));
    EXPECT_EQ(result.verdict, Verdict::delivered) << status;
  }
  for (const ExchangeFault fault :
       {ExchangeFault::timeout, ExchangeFault::lost, ExchangeFault::bad_response}) {
    door->lose("send", fault);
    door->answer("look", 200, kSent);
    EXPECT_EQ(deliver(delivery(static_cast<int>(fault))).verdict, Verdict::delivered);
  }
}

TEST_F(GraphLetterTest, never_sends_twice_in_one_attempt) {
  door->lose("send");
  door->answer("look", 200, kStillADraft);
  EXPECT_EQ(said_of(delivery(1)), "transient GRAPH_ANSWER_LOST 60s");
  EXPECT_EQ(asked(), "create, send, look");
}

TEST_F(GraphLetterTest, says_the_same_when_the_look_fails_too) {
  door->lose("send");
  door->lose("look", ExchangeFault::connect);
  EXPECT_EQ(said_of(delivery(1)), "transient GRAPH_ANSWER_LOST 60s");
  door->lose("send");
  door->answer("look", 200, "nonsense");
  EXPECT_EQ(said_of(delivery(2)), "transient GRAPH_ANSWER_LOST 60s");
}

TEST_F(GraphLetterTest, searches_sent_items_for_a_draft_that_is_gone) {
  door->lose("send");
  door->answer("look", 404, "", "ErrorItemNotFound");
  door->answer("search sent", 200, kSentOne);
  EXPECT_EQ(said_of(delivery(1)), "delivered S1");
  door->lose("send");
  door->answer("look", 404, "", "ErrorItemNotFound");
  EXPECT_EQ(said_of(delivery(2)), "transient GRAPH_ANSWER_LOST 90s");
  door->lose("send");
  door->answer("look", 404, "", "ErrorItemNotFound");
  door->lose("search sent");
  EXPECT_EQ(said_of(delivery(3)), "transient GRAPH_ANSWER_LOST 60s");
}

TEST_F(GraphLetterTest, does_not_look_where_nothing_was_sent) {
  door->lose("send", ExchangeFault::connect);
  EXPECT_EQ(said_of(delivery(1)), "route_fault GRAPH_UNREACHABLE 60s");
  GraphAnswer no_token;
  no_token.token_failed = no_token.configuration = true;
  no_token.status = 401;
  door->answer("send", no_token);
  EXPECT_EQ(said_of(delivery(2)), "configuration GRAPH_TOKEN 30s");
  EXPECT_TRUE(door->calls("look").empty());
}

TEST_F(GraphLetterTest, comes_back_after_a_refused_send_when_it_may_send_again) {
  GraphAnswer throttled;
  throttled.status = 429;
  throttled.retry_after = 4s;
  door->answer("send", throttled);
  EXPECT_EQ(said_of(delivery(1)), "deferred GRAPH_THROTTLED 60s");
  EXPECT_EQ(asked(), "create, send");
}

TEST_F(GraphLetterTest, ends_with_a_refused_send) {
  door->answer("send", 400, "", "ErrorInvalidRecipients");
  EXPECT_EQ(said_of(delivery(1)), "permanent GRAPH_BAD_REQUEST");
}

TEST_F(GraphLetterTest, makes_another_draft_later_where_somebody_took_this_one_away) {
  door->answer("send", 404, "", "ErrorItemNotFound");
  EXPECT_EQ(said_of(delivery(1)), "transient GRAPH_DRAFT_GONE 60s");
}

// ---- after a send without an answer ----

TEST_F(GraphLetterTest, looks_before_it_sends_again) {
  book.had(JobId{1}, kMailbox, "D1", 10s);
  door->answer("look", 200, kSent);
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered D1");
  EXPECT_EQ(asked(), "look");
}

TEST_F(GraphLetterTest, waits_until_graph_had_time_to_take_the_draft_up) {
  book.had(JobId{1}, kMailbox, "D1", 10s);
  door->answer("look", 200, kStillADraft);
  EXPECT_EQ(said_of(delivery(1, 1)), "transient GRAPH_ANSWER_LOST 50s");
  EXPECT_EQ(asked(), "look");
}

TEST_F(GraphLetterTest, sends_the_same_draft_again_after_that_and_notes_it) {
  book.had(JobId{1}, kMailbox, "D1", 61s);
  door->answer("look", 200, kStillADraft);
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered D1");
  EXPECT_EQ(asked(), "look, send");
  EXPECT_EQ(book.note_calls(), 1);
}

TEST_F(GraphLetterTest, searches_sent_items_when_the_second_send_finds_no_draft) {
  book.had(JobId{1}, kMailbox, "D1", 61s);
  door->answer("look", 200, kStillADraft);
  door->answer("send", 404, "", "ErrorItemNotFound");
  door->answer("search sent", 200, kSentOne);
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered S1");
  EXPECT_EQ(asked(), "look, send, search sent");
}

TEST_F(GraphLetterTest, does_not_give_up_a_mail_that_may_be_on_its_way) {
  int id = 0;
  const auto with_look = [&](const std::function<void()>& script) {
    book.had(JobId{++id}, kMailbox, "D1", 1h);
    script();
    return said_of(delivery(id, 1));
  };
  EXPECT_EQ(with_look([&] { door->lose("look"); }), "transient GRAPH_ANSWER_LOST 30s");
  EXPECT_EQ(with_look([&] { door->lose("look", ExchangeFault::connect); }), "route_fault GRAPH_UNREACHABLE")
      << "an outage of the route kills no mail: its breaker opens";
  EXPECT_EQ(with_look([&] { door->answer("look", 400); }), "transient GRAPH_ANSWER_LOST 30s");
  EXPECT_EQ(with_look([&] { door->answer("look", 200, "nonsense"); }), "transient GRAPH_ANSWER_LOST 30s");
  EXPECT_EQ(with_look([&] { door->answer("look", 401); }), "configuration GRAPH_AUTH 30s");
  EXPECT_TRUE(door->calls("send").empty());
}

TEST_F(GraphLetterTest, is_uncertain_about_a_draft_that_was_sent_and_is_nowhere) {
  book.had(JobId{1}, kMailbox, "D1", 40s);
  door->answer("look", 404, "", "ErrorItemNotFound");
  EXPECT_EQ(said_of(delivery(1, 1)), "transient GRAPH_ANSWER_LOST 50s") << "its copy may come late";
  EXPECT_EQ(asked(), "look, search sent");
  book.had(JobId{2}, kMailbox, "D2", 91s);
  door->answer("look", 404, "", "ErrorItemNotFound");
  MailDelivery held = delivery(2, 1);
  held.content.on_uncertain = OnUncertain::hold;
  EXPECT_EQ(said_of(std::move(held)), "uncertain GRAPH_DRAFT_GONE");
}

TEST_F(GraphLetterTest, takes_a_search_it_cannot_read_for_no_answer) {
  for (const char* body : {"<html>a proxy</html>", "{}", R"({"value":[],"@odata.nextLink":"https://x/y"})"}) {
    book.had(JobId{1}, kMailbox, "D1", 1h);
    door->answer("look", 404, "", "ErrorItemNotFound");
    door->answer("search sent", 200, body);
    EXPECT_EQ(said_of(delivery(1, 1)), "transient GRAPH_ANSWER_LOST 30s") << body;
  }
  EXPECT_TRUE(door->calls("send").empty() && door->calls("create").empty());
}

TEST_F(GraphLetterTest, looks_again_when_a_draft_that_was_sent_before_is_refused) {
  book.had(JobId{1}, kMailbox, "D1", 61s);
  door->answer("look", 200, kStillADraft);
  door->answer("send", 400, "", "ErrorInvalidRequest");
  door->answer("look", 200, kSent);
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered D1") << "it had left in between";
  book.had(JobId{2}, kMailbox, "D2", 61s);
  door->answer("look", 200, kStillADraft);
  door->answer("send", 400, "", "ErrorInvalidRequest");
  door->answer("look", 200, kStillADraft);
  EXPECT_EQ(said_of(delivery(2, 1)), "permanent GRAPH_BAD_REQUEST");
}

TEST_F(GraphLetterTest, sends_a_vanished_mail_anew_only_where_that_is_wanted) {
  for (const OnUncertain wish : {OnUncertain::hold, OnUncertain::retry}) {
    const int id = 1 + static_cast<int>(wish);
    book.had(JobId{id}, kMailbox, "D9", 10min);
    door->answer("look", 404, "", "ErrorItemNotFound");
    MailDelivery mail = delivery(id, 1);
    mail.content.on_uncertain = wish;
    EXPECT_EQ(said_of(std::move(mail)),
              wish == OnUncertain::hold ? "uncertain GRAPH_DRAFT_GONE" : "delivered D1");
  }
  EXPECT_EQ(door->calls("send").size(), 1U);
}

// ---- in one request ----

class GraphSendMailTest : public GraphLetterTest {
 protected:
  void SetUp() override { options.mode = GraphMode::sendmail; }
};

TEST_F(GraphSendMailTest, notes_the_mail_and_sends_it_in_one_request) {
  EXPECT_EQ(said_of(delivery(1)), "delivered");
  EXPECT_EQ(asked(), "sendmail");
  ASSERT_TRUE(book.draft(JobId{1}));
  EXPECT_EQ(book.draft(JobId{1})->id, "");
  const boost::json::value body = parse_json(door->calls("sendmail")[0].body);
  EXPECT_EQ(eilbote::text_at(body, {"message", "subject"}), "Invoice");
}

TEST_F(GraphSendMailTest, searches_sent_items_when_the_answer_is_lost) {
  door->lose("sendmail");
  door->answer("search sent", 200, kSentOne);
  EXPECT_EQ(said_of(delivery(1)), "delivered S1");
  door->answer("sendmail", 504);
  EXPECT_EQ(said_of(delivery(2)), "transient GRAPH_ANSWER_LOST 90s") << "its copy may come late";
  EXPECT_EQ(asked(), "sendmail, search sent, sendmail, search sent");
}

TEST_F(GraphSendMailTest, searches_sent_items_first_where_an_earlier_attempt_may_have_sent) {
  book.had(JobId{1}, kMailbox, "", 10s);
  door->answer("search sent", 200, kSentOne);
  EXPECT_EQ(said_of(delivery(1, 1)), "delivered S1");
  book.had(JobId{2}, kMailbox, "", 10s);
  EXPECT_EQ(said_of(delivery(2, 1)), "transient GRAPH_ANSWER_LOST 80s");
  book.had(JobId{3}, kMailbox, "", 10min);
  EXPECT_EQ(said_of(delivery(3, 1)), "delivered");
  EXPECT_EQ(asked(), "search sent, search sent, search sent, sendmail");
}

TEST_F(GraphSendMailTest, makes_a_draft_of_what_one_request_cannot_carry) {
  EXPECT_EQ(said_of(delivery(1, 0, mail_with_html())), "delivered D1");
  EXPECT_EQ(said_of(delivery(2, 0, mail_with_files({4'000'000}))), "delivered D2");
  EXPECT_TRUE(door->calls("sendmail").empty());
}

}  // namespace
}  // namespace eilbote::test::graph_letter_test
