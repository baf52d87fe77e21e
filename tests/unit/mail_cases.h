// What the tests of check_mail have in common: a mail that is right, one change to it, and where the faults must be.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "domain/mail.h"

namespace eilbote {

// For readable failures.
inline void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.pointer << ": " << fault.detail;
}

namespace mail_cases {

using namespace std::chrono_literals;
using namespace std::string_literals;

inline constexpr TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15}};

inline Mail right() {
  Mail mail;
  mail.from = {"sender@example.org", "Sender"};
  mail.to = {{"to@example.com", ""}};
  mail.subject = "Hello";
  mail.text = "Hi";
  return mail;
}

inline Attachment pdf(std::size_t bytes = 10) {
  return {"a.pdf", "application/pdf", std::string(bytes, 'x'), "", false};
}

inline std::vector<Mailbox> boxes(std::size_t n) {
  std::vector<Mailbox> list;
  for (std::size_t i = 0; i < n; ++i)
    list.push_back({fmt::format("r{}@example.com", i), ""});
  return list;
}

inline std::string text(std::size_t characters, const std::string& one = "x") {
  std::string out;
  for (std::size_t i = 0; i < characters; ++i)
    out += one;
  return out;
}

inline RetryPolicy policy(const std::function<void(RetryPolicy&)>& change) {
  RetryPolicy made;
  change(made);
  return made;
}

struct Case {
  const char* name;
  std::function<void(Mail&)> change;
  std::vector<std::string> want = {};  // pointers, in order; empty: accepted
};

inline void run(const std::vector<Case>& cases, const MailLimits& limits = {}) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Mail mail = right();
    c.change(mail);
    const auto faults = check_mail(mail, limits, kNow);
    std::vector<std::string> pointers;
    for (const Fault& fault : faults) {
      pointers.push_back(fault.pointer);
      EXPECT_FALSE(fault.detail.empty());
    }
    EXPECT_EQ(pointers, c.want) << testing::PrintToString(faults);
  }
}

}  // namespace mail_cases
}  // namespace eilbote
