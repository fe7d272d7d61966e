// The commands; each is one .cpp of its name. Their flags are in doc/cli.md.
#pragma once

#include "apps/frit/console.h"
#include "apps/frit/exit_code.h"
#include "apps/frit/options.h"

namespace frit {

ExitCode command_build(const Options& options, Console& console);
ExitCode command_run(const Options& options, Console& console);
ExitCode command_plan(const Options& options, Console& console);
ExitCode command_explain(const Options& options, Console& console);
ExitCode command_verify(const Options& options, Console& console);
ExitCode command_check(const Options& options, Console& console);
ExitCode command_fmt(const Options& options, Console& console);
ExitCode command_show(const Options& options, Console& console);
ExitCode command_ops(const Options& options, Console& console);
ExitCode command_bench(const Options& options, Console& console);
ExitCode command_profile(const Options& options, Console& console);
ExitCode command_doctor(const Options& options, Console& console);
ExitCode command_help(const Options& options, Console& console);

}  // namespace frit
