// The program: everything begins in the command line.
#include "app/cli_actions.h"

int main(int argc, char** argv) {
  return eilbote::run_cli(argc, argv, eilbote::make_cli_actions());
}
