// Several requests to Graph in one: the body of POST $batch, and its answer taken apart. Pure. Used by the door.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "channel/graph_door.h"

namespace eilbote {

// Graph takes 4 MB as a whole; this leaves room for what is around the bodies.
inline constexpr std::size_t kGraphBatchBytesMax = 3'500'000;

struct GraphBatchPart {
  std::string method;
  std::string path;  // below the base URL
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view body;  // JSON; empty: none

  // What it takes in the batch, or a little more.
  std::size_t bytes() const;
};

// The parts get the ids "1", "2", ..
std::string write_graph_batch(const std::vector<GraphBatchPart>& parts);

// The answer to each part, in their order, whatever order they came in. One that is not there, or all of them where the text
// is no answer to a batch, is a `bad_response`: whether it was carried out is not known.
std::vector<GraphAnswer> read_graph_batch(std::string_view body, std::size_t parts, TimePoint now);

}  // namespace eilbote
