// The program frit: parse the command line, run one command, turn every outcome into an exit code.
//
// A frit with operators of your own is a main of three lines (apps/own_operator).
#pragma once

namespace frit {

/// What main returns.
int run_program(int argc, char** argv);

}  // namespace frit
