// What bringing a schema up to date came to: made by the stores, printed by `eilbote migrate`.
#pragma once

#include <string>
#include <vector>

namespace eilbote {

struct MigrationReport {
  std::vector<std::string> applied;  // names of the migrations run now
  std::string version;               // the schema's, afterwards
};

}  // namespace eilbote
