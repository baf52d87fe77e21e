// The program: everything begins in the command line.
#include <unistd.h>

#include <cstdio>

#include "app/cli_actions.h"
#include "app/doctor.h"

int main(int argc, char** argv) {
  const int code = eilbote::run_cli(argc, argv, eilbote::make_cli_actions());
  if (!eilbote::has_late_checks()) return code;
  // A check that hangs still runs, on libraries that a return from here would tear down.
  std::fflush(nullptr);
  _exit(code);
}
