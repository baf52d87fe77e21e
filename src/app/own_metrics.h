// What the composition root measures itself, because no part of the engine does: which program this is, and the disk that the
// data folder is on; and how it is called. Called by app/server.cpp, at the start and as a chore of upkeep.
#pragma once

#include <string>

#include "base/result.h"

namespace eilbote {

struct Metrics;

// The version; and zeros for what alerts watch: the first of a kind is seen only by those who saw none before.
void begin_metrics(const std::string& version, Metrics& metrics);

// "mail-7f9c:42": how people tell instances apart.
std::string host_and_process();

// Free room and size of the disk that the folder is on.
Result<void> measure_disk(const std::string& folder, Metrics& metrics);

}  // namespace eilbote
