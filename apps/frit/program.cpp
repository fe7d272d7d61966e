#include "apps/frit/program.h"

#include <Halide.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "apps/frit/command_line.h"
#include "apps/frit/console.h"
#include "apps/frit/crash.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/log.h"
#include "apps/frit/memory_need.h"
#include "apps/frit/standard_streams.h"
#include "ops/base/assert.h"

namespace {

using namespace frit;

ExitCode internal_error(const Options& options, Console& console, const std::string& fault) {
  const std::string bundle = write_crash_bundle(options, fault);
  Diagnostic diagnostic =
      error("internal-error", "a fault in frit itself: " + fault + "; please report it");
  if (!bundle.empty()) diagnostic.notes.push_back("crash bundle: " + bundle);
  return console.reject(diagnostic);
}

ExitCode run(const ParsedCommandLine& parsed, Console& console) {
  const GlobalOptions& global = parsed.options.global;
  if (!global.directory.empty()) {
    std::error_code failure;
    std::filesystem::current_path(global.directory, failure);
    if (failure) {
      return console.reject(error("cli-folder", "cannot enter '" + global.directory +
                                                    "': " + failure.message() + "; check -C"));
    }
  }
  try {
    return parsed.command(parsed.options, console);
  } catch (const std::bad_alloc&) {
    return console.reject(out_of_memory());
  } catch (const InternalError& fault) {
    return internal_error(parsed.options, console, fault.what());
  } catch (const std::exception& fault) {
    return internal_error(parsed.options, console,
                          std::string("uncaught exception: ") + fault.what());
  } catch (const Halide::Error& fault) {  // which is no std::exception
    return internal_error(parsed.options, console, std::string("Halide: ") + fault.what());
  } catch (...) {
    return internal_error(parsed.options, console, "uncaught exception of an unknown type");
  }
}

}  // namespace

int frit::run_program(int argc, char** argv) {
  open_closed_streams();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const ParsedCommandLine parsed = parse_command_line(arguments);
  Console console(parsed.options.global);
  if (!parsed.error.empty()) {
    Diagnostic diagnostic = error("cli-usage", parsed.error);
    diagnostic.notes.emplace_back("frit --help lists the commands, frit COMMAND --help its flags");
    return static_cast<int>(console.finish(console.reject(diagnostic)));
  }
  if (parsed.command == nullptr) {
    console.answer(parsed.text);
    return static_cast<int>(console.finish(ExitCode::kSuccess));
  }
  install_interrupt_handler();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit (ulimit -f) is a failed write
  if (const Status logs = start_logs(parsed.options.global); !logs) {
    return static_cast<int>(console.finish(console.reject(logs.error())));
  }
  return static_cast<int>(console.finish(run(parsed, console)));
}
