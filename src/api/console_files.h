// The files of the console as they are embedded, and how each is answered: compressed for those who take that, with a tag by which a
// browser asks whether its copy is still good. Used by console.cpp.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

struct ConsoleFile {
  std::string_view name;
  std::string_view content_type;
  std::string_view gzip;  // its bytes, compressed
};

// Null: there is none of this name. The page itself is index.html.
const ConsoleFile* find_console_file(std::string_view name);

// As it was before it was compressed.
std::string inflated(const ConsoleFile& file);
// Of these bytes and no others, with its quotes.
std::string tag_of(const ConsoleFile& file, bool compressed);

// What the browser may do with the page: only what this server sends, and asking the issuer (its origin; empty: none).
std::string content_policy(std::string_view issuer_origin);

// Whether the client takes gzip, by its Accept-Encoding.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace eilbote
