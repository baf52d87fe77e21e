// A stored mail read again: what GMime leaves for us to mend, and texts that are no mail.
#include "domain/frozen_mail.h"

#include <gtest/gtest.h>

namespace eilbote::frozen_mail_test {
namespace {

TEST(FrozenMail, a_long_name_has_no_folds_in_it) {
  const auto frozen = read_frozen_mail(
      "From: \"The Office of the Registrar of the Analytical Engine and\r\n its Difference Engine\" "
      "<office@example.org>\r\n"
      "To: Ada\r\n Augusta\r\n Lovelace <ada@example.org>\r\n\r\nHello.\r\n");
  ASSERT_TRUE(frozen);
  EXPECT_EQ(frozen->mail.from.name,
            "The Office of the Registrar of the Analytical Engine and its Difference Engine");
  ASSERT_EQ(frozen->mail.to.size(), 1U);
  EXPECT_EQ(frozen->mail.to[0].name, "Ada Augusta Lovelace");
}

TEST(FrozenMail, what_has_no_sender_is_no_mail) {
  for (const char* text : {"", "\r\n", "Subject: x\r\n\r\nHello.\r\n",
                           "From: undisclosed:;\r\nTo: ada@example.org\r\n\r\nHello.\r\n"})
    EXPECT_FALSE(read_frozen_mail(text)) << text;
}

TEST(FrozenMail, groups_of_addresses_are_passed_over) {
  const auto frozen = read_frozen_mail(
      "From: shop@example.org\r\nTo: undisclosed-recipients:;\r\nCc: ada@example.org\r\n\r\nHello.\r\n");
  ASSERT_TRUE(frozen);
  EXPECT_TRUE(frozen->mail.to.empty());
  EXPECT_EQ(frozen->mail.cc.size(), 1U);
}

TEST(FrozenMail, an_attachment_keeps_the_parameters_of_its_type_but_not_its_name) {
  const auto frozen = read_frozen_mail(
      "From: shop@example.org\r\nTo: ada@example.org\r\n"
      "Content-Type: text/csv; charset=utf-8; header=present; name=\"a.csv\"\r\n"
      "Content-Disposition: attachment; filename=\"a.csv\"\r\n\r\na,b\r\n");
  ASSERT_TRUE(frozen);
  ASSERT_EQ(frozen->mail.attachments.size(), 1U);
  EXPECT_EQ(frozen->mail.attachments[0].name, "a.csv");
  EXPECT_EQ(frozen->mail.attachments[0].content_type, "text/csv; charset=\"utf-8\"; header=\"present\"");
}

}  // namespace
}  // namespace eilbote::frozen_mail_test
