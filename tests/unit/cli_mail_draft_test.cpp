// The JSON that `eilbote send` makes of flags and files.
#include "cli/mail_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "support/temp_folder.h"

namespace eilbote::cli::cli_mail_draft_test {
namespace {

using testing::HasSubstr;

TEST(CliMailDraft, addresses_may_carry_a_name) {
  struct Case {
    const char* text;
    const char* json;
  };
  const Case cases[] = {
      {"ada@example.org", R"("ada@example.org")"},
      {"<ada@example.org>", R"("ada@example.org")"},
      {"Ada Lovelace <ada@example.org>", R"({"email":"ada@example.org","name":"Ada Lovelace"})"},
      {"\"Lovelace, Ada\" <ada@example.org>", R"({"email":"ada@example.org","name":"Lovelace, Ada"})"},
      {"broken <ada@example.org", R"("broken <ada@example.org")"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(boost::json::serialize(address_json(c.text)), c.json);
}

// RFC 4648 §10, in the URL alphabet and without padding.
TEST(CliMailDraft, base64url_follows_the_published_vectors) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg"},
                                                       {"fo", "Zm8"},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg"},
                                                       {"foobar", "Zm9vYmFy"},
                                                       {"\xff\xfe\xfb\xff", "__77_w"}};
  for (const auto& [bytes, text] : cases)
    EXPECT_EQ(base64url(bytes), text);
}

TEST(CliMailDraft, flags_win_over_the_file_and_files_are_read) {
  const test::TempFolder folder;
  std::ofstream(folder / "mail.json")
      << R"({"from":"old@example.org","subject":"Old","headers":{"X-A":"1"}})";
  std::ofstream(folder / "body.html") << "<p>Hi</p>";
  std::ofstream(folder / "bill.pdf") << "%PDF";
  MailDraft draft;
  draft.file = folder / "mail.json";
  draft.from = "new@example.org";
  draft.to = {"a@example.org", "B <b@example.org>"};
  draft.html = "@" + (folder / "body.html");
  draft.text = "Hi";
  draft.tags = {"x"};
  draft.attachments = {folder / "bill.pdf"};
  const auto mail = build_mail(draft);
  ASSERT_TRUE(mail) << mail.error().message;
  EXPECT_EQ(boost::json::value(*mail), boost::json::parse(R"({
      "from": "new@example.org", "subject": "Old", "headers": {"X-A": "1"},
      "to": ["a@example.org", {"email": "b@example.org", "name": "B"}],
      "tags": ["x"], "body": {"text": "Hi", "html": "<p>Hi</p>"},
      "attachments": [{"name": "bill.pdf", "contentType": "application/pdf", "content": "JVBERg"}]})"));
}

TEST(CliMailDraft, what_cannot_be_read_is_named) {
  const test::TempFolder folder;
  std::ofstream(folder / "list.json") << "[1]";
  std::ofstream(folder / "broken.json") << "{";
  const std::pair<MailDraft, const char*> cases[] = {
      {{.file = folder / "list.json"}, "does not hold a JSON object"},
      {{.file = folder / "broken.json"}, "broken.json"},
      {{.file = folder / "none.json"}, "cannot read"},
      {{.text = "@" + (folder / "none.txt")}, "none.txt"},
      {{.attachments = {folder.path()}}, "cannot read"},
  };
  for (const auto& [draft, says] : cases) {
    const auto mail = build_mail(draft);
    ASSERT_FALSE(mail) << says;
    EXPECT_THAT(mail.error().message, HasSubstr(says));
  }
}

TEST(CliMailDraft, content_types_follow_the_ending) {
  EXPECT_EQ(content_type_of("a.pdf"), "application/pdf");
  EXPECT_EQ(content_type_of("a.tar.unknown"), "application/octet-stream");
}

}  // namespace
}  // namespace eilbote::cli::cli_mail_draft_test
