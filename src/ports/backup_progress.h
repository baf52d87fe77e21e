// How far a copy of the database has come: told by the store while it copies, shown by `eilbote backup`.
#pragma once

#include <cstdint>

namespace eilbote {

struct BackupProgress {
  double part = 0;         // 0 to 1
  std::int64_t bytes = 0;  // of the whole copy, as far as it is known
};

}  // namespace eilbote
