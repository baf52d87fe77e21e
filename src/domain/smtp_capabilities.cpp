#include "domain/smtp_capabilities.h"

#include <algorithm>
#include <charconv>

namespace eilbote {
namespace {

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return all;
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

void read_line(SmtpCapabilities& can, std::string_view line) {
  std::string keyword = upper(next_word(line));
  // Some old servers write "AUTH=LOGIN".
  if (keyword.starts_with("AUTH=")) {
    can.auth_mechanisms.insert(keyword.substr(5));
    keyword = "AUTH";
  }
  if (keyword == "PIPELINING") can.pipelining = true;
  if (keyword == "8BITMIME") can.eight_bit = true;
  if (keyword == "SMTPUTF8") can.utf8 = true;
  if (keyword == "STARTTLS") can.starttls = true;
  if (keyword == "SIZE") {
    can.has_size = true;
    const std::string_view number = next_word(line);
    std::from_chars(number.data(), number.data() + number.size(), can.size_max);
  }
  if (keyword == "AUTH")
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
      can.auth_mechanisms.insert(upper(word));
}

}  // namespace

SmtpCapabilities read_capabilities(const SmtpReply& ehlo) {
  SmtpCapabilities can;
  // The first line is the server's name.
  for (std::size_t i = 1; i < ehlo.lines.size(); ++i)
    read_line(can, ehlo.lines[i]);
  return can;
}

}  // namespace eilbote
