// The text part of a mail that came with html only. Used by mime.cpp.
#pragma once

#include <string>
#include <string_view>

namespace eilbote::mime {

// What a reader without HTML sees: tags stripped, entities decoded, blocks on lines of their own, links
// spelled out. Forgiving: anything is html, and nothing here can fail.
std::string text_of_html(std::string_view html);

}  // namespace eilbote::mime
