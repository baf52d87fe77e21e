// The CPU time of this program. Used by the programs of the bench, which print it.
#pragma once

namespace eilbote::load {

double cpu_seconds();

}  // namespace eilbote::load
