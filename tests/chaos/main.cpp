// The program behind `./dev chaos`.
#include <cstdio>
#include <exception>

#include "chaos/run.h"

int main(int count, char** words) {
  using namespace eilbote::chaos;
  const OptionsRead read = read_options({words + 1, words + count});
  if (read.options.help) {
    std::printf("%s", kUsage);
    return 0;
  }
  if (!read.trouble.empty()) {
    std::fprintf(stderr, "chaos: %s\n%s", read.trouble.c_str(), kUsage);
    return 2;
  }
  try {
    return read.options.judge.empty() ? run_chaos(read.options) : judge_again(read.options);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "chaos: %s\n", trouble.what());
    return 2;
  }
}
