// One chaos run from its beginning to its end, and the judgement of a history that was kept.
#pragma once

#include "chaos/options.h"

namespace eilbote::chaos {

// 0: nothing is violated; 1: something is; 2: the run could not be made.
int run_chaos(const ChaosOptions& options);
int judge_again(const ChaosOptions& options);

}  // namespace eilbote::chaos
