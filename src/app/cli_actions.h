// What the command line may do but not see: starting the server, migrating the store, the list of routes.
#pragma once

#include "cli/cli.h"

namespace eilbote {

CliActions make_cli_actions();

}  // namespace eilbote
