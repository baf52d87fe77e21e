#include "api/console_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "console_app_css.h"
#include "console_app_js.h"
#include "console_icon_svg.h"
#include "console_index_html.h"

namespace eilbote {
namespace {

const std::array<ConsoleFile, 4>& files() {
  static const std::array<ConsoleFile, 4> all{
      ConsoleFile{"index.html", "text/html; charset=utf-8", kConsoleIndexHtml},
      ConsoleFile{"app.js", "text/javascript; charset=utf-8", kConsoleAppJs},
      ConsoleFile{"app.css", "text/css; charset=utf-8", kConsoleAppCss},
      ConsoleFile{"icon.svg", "image/svg+xml", kConsoleIconSvg}};
  return all;
}

constexpr int kGzipWindow = 16 + MAX_WBITS;  // zlib's way to say that the data has gzip's header

// "gzip;q=0" is a refusal.
bool is_refused(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const std::string_view weight = trimmed(parameters.substr(at + 2));
  return weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

const ConsoleFile* find_console_file(std::string_view name) {
  for (const ConsoleFile& file : files())
    if (file.name == name) return &file;
  return nullptr;
}

std::string inflated(const ConsoleFile& file) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.gzip.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(file.gzip.size());
  std::string plain;
  std::array<char, 16 * 1024> part{};
  for (int step = Z_OK; step == Z_OK;) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    step = inflate(&stream, Z_NO_FLUSH);
    plain.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return plain;
}

std::string tag_of(const ConsoleFile& file, bool compressed) {
  return fmt::format("\"{}{}\"", to_hex(sha256(file.gzip)).substr(0, 16), compressed ? "-gzip" : "");
}

std::string content_policy(std::string_view issuer_origin) {
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
      "'self'{}{}; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      issuer_origin.empty() ? "" : " ", issuer_origin);
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    const std::string_view item = accept_encoding.substr(0, comma);
    const auto semicolon = item.find(';');
    const std::string_view coding = trimmed(item.substr(0, semicolon));
    if (same_but_for_case(coding, "gzip") || coding == "*")
      return semicolon == std::string_view::npos || !is_refused(item.substr(semicolon));
    if (comma == std::string_view::npos) break;
    accept_encoding.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace eilbote
