#include "apps/frit/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "apps/frit/commands.h"
#include "generators/log.h"

namespace frit {

namespace {

constexpr const char* kVersion = "frit " FRIT_VERSION;

/// An option given many times, one value each: it never swallows the words that follow it.
CLI::Option* add_repeatable(CLI::App& app, const char* name, std::vector<std::string>& into,
                            const char* does) {
  return app.add_option(name, into, does)->allow_extra_args(false);
}

/// The same for a list of words out of `known`, separated by ','; an empty word is none of them.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& into,
              const std::vector<std::string>& known, const char* does) {
  const auto take = [name, &into, known](const std::vector<std::string>& lists) {
    for (const std::string& list : lists) {
      std::size_t begin = 0;
      for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = list.find(',', begin);
        const std::string word = list.substr(begin, end - begin);
        if (std::find(known.begin(), known.end(), word) == known.end()) {
          throw CLI::ValidationError(
              name, fmt::format("'{}' in '{}' is none of {}; write a list of them with ','", word,
                                list, fmt::join(known, ", ")));
        }
        into.push_back(word);
      }
    }
  };
  app.add_option_function<std::vector<std::string>>(name, take, does)->allow_extra_args(false);
}

/// Which CLI::Range lets pass.
std::string refuse_nan(const std::string& text) {
  const bool bad = std::isnan(std::strtod(text.c_str(), nullptr));
  return bad ? fmt::format("'{}' is no number; give seconds", text) : "";
}

void add_global_options(CLI::App& app, GlobalOptions& global) {
  app.add_option("-C", global.directory, "Work in this folder")->check(CLI::ExistingDirectory);
  app.add_flag("--json", global.json, "Print one JSON document on stdout");
  app.add_option("--color", global.color, "Colour of diagnostics")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_flag("-q,--quiet", global.quiet, "Print the answer and errors only");
  app.add_flag("-v", global.verbosity, "Log more (-vv: more still)");
  add_list(app, "--log", global.log, {kLogCategories.begin(), kLogCategories.end()},
           "Log these steps: import, passes, plan, emit; a list with ','");
  app.add_option("--progress", global.progress, "Progress on stderr")
      ->check(CLI::IsMember({"auto", "plain", "none"}))
      ->capture_default_str();
}

void add_model_options(CLI::App& command, ModelOptions& model, bool positional = true) {
  if (positional) {
    command.add_option("MODEL", model.model, "An .onnx file or a frit graph text")->required();
  }
  const char* group = "Model";
  add_repeatable(command, "--shape", model.shapes, "Pins an input, NAME:1x3x224x224; repeatable")
      ->group(group);
  add_repeatable(command, "--const", model.constants, "Pins an input to a value, NAME=FILE.npy")
      ->group(group);
  add_repeatable(command, "--target", model.targets, "host, or another: frit help targets")
      ->delimiter(',')
      ->group(group);
  command.add_option("--threads", model.threads, "Threads of the kernels")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--numerics", model.numerics, "Which rewrites are allowed (frit help numerics)")
      ->check(CLI::IsMember({"precise", "fast"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--fusion", model.fusion, "How much is fused")
      ->check(CLI::IsMember({"none", "elementwise", "greedy"}))
      ->capture_default_str()
      ->group(group);
  add_repeatable(command, "--fuse", model.fuse, "Keep nodes A,B in one kernel; repeatable")
      ->group(group);
  add_repeatable(command, "--no-fuse", model.no_fuse, "Keep nodes A,B apart; repeatable")
      ->group(group);
  add_repeatable(command, "--fence", model.fence, "Fuse nothing across node A; repeatable")
      ->group(group);
  add_repeatable(command, "--no-pass", model.no_pass,
                 "Leave out a pass (frit show passes); repeatable")
      ->group(group);
  command.add_option("--plan", model.plan_file, "Take the plan from this file (frit plan -o)")
      ->group(group);
  command.add_option("--schedules", model.schedules_folder, "Prefer the .sched files of a folder")
      ->group(group);
}

/// Of the commands that look at single groups.
void add_group_option(CLI::App& command, ModelOptions& model) {
  command.add_option("--group", model.group, "Only this group, by name")->group("Model");
}

/// The sub-commands, each writing into `parsed` when it is the one chosen.
class Commands {
 public:
  Commands(CLI::App& app, ParsedCommandLine& parsed)
      : app_(app), parsed_(parsed), model_(parsed.options.model), own_(parsed.options.command) {}

  void add_all() {
    add_build();
    add_run();
    add_plan();
    add_explain();
    add_verify();
    add_check();
    add_fmt();
    add_show();
    add_ops();
    add_bench();
    add_profile();
    add_doctor();
    add_help();
  }

 private:
  CLI::App& add(const char* name, const char* does, Command command) {
    CLI::App& sub = *app_.add_subcommand(name, does);
    sub.fallthrough();
    sub.callback([this, command] { parsed_.command = command; });
    return sub;
  }

  void add_inputs(CLI::App& sub) {
    add_repeatable(sub, "--input", own_.inputs, "NAME=FILE.npy|zero|random:SEED; repeatable");
  }

  void add_debug(CLI::App& sub) {
    sub.add_flag("--debug", own_.debug, "Keep asserts and bounds checks in the kernels");
  }

  void add_cpu_levels(CLI::App& sub) {
    add_list(sub, "--cpu-levels", own_.cpu_levels, {"baseline", "avx2", "avx512"},
             "Kernels for several levels of x86, chosen when run: baseline, avx2, avx512");
  }

  void add_build() {
    CLI::App& sub = add("build", "Make the package: archive, header, report", command_build);
    add_model_options(sub, model_);
    sub.add_option("-o", own_.out, "Folder of the package")->required();
    sub.add_option("--name", own_.name, "Of the library and its functions; default: the file's");
    sub.add_option("-j", own_.jobs, "Kernels compiled at once; 0: as many as cores")
        ->check(CLI::Range(0, 1024));
    add_list(sub, "--emit", own_.emit,
             {"archive", "header", "report", "plan", "objects", "schedule", "stmt", "asm"},
             "Further parts: plan (in C), objects, schedule, stmt, asm; a list with ','");
    add_cpu_levels(sub);
    sub.add_option("--weights", own_.weights,
                   "inline: in the archive; external: in a file beside it")
        ->check(CLI::IsMember({"inline", "external"}));
    add_debug(sub);
  }

  void add_run() {
    CLI::App& sub = add("run", "Execute once, in this process", command_run);
    add_model_options(sub, model_);
    add_inputs(sub);
    add_repeatable(sub, "--output", own_.outputs, "NAME=FILE.npy; repeatable");
    add_repeatable(sub, "--dump", own_.dump, "VALUE=FILE.npy, any intermediate; repeatable");
    add_debug(sub);
  }

  void add_plan() {
    CLI::App& sub = add("plan", "Groups, layouts and verdicts as text", command_plan);
    add_model_options(sub, model_);
    sub.add_option("-o", own_.out, "Write the plan to this file");
    sub.add_option("--expect", own_.expect, "Exit with 1 unless the plan is this file's");
  }

  void add_explain() {
    CLI::App& sub = add("explain", "Why each pair was or was not fused", command_explain);
    add_model_options(sub, model_);
    sub.add_option("PAIR", own_.pair, "Two nodes by name: A,B");
  }

  void add_verify() {
    CLI::App& sub = add("verify", "Compare with the double reference", command_verify);
    add_model_options(sub, model_);
    add_inputs(sub);
    add_list(sub, "--data", own_.data,
             {"random", "zeros", "ones", "minus-zero", "large", "small", "special"},
             "Kinds of data; default random,zeros,special; a list with ','");
    add_cpu_levels(sub);
    sub.add_flag("--groups", own_.groups, "Each group on its own inputs too");
    sub.add_flag("--fusions", own_.fusions, "The unfused build too");
  }

  void add_show() {
    CLI::App& sub = add("show", "A stage of the way, as text", command_show);
    sub.add_option("WHAT", own_.what, "What to show")
        ->required()
        ->check(CLI::IsMember({"graph", "passes", "stages", "schedule", "nest", "stmt", "asm",
                               "memory", "ops", "metadata"}));
    add_model_options(sub, model_);
    add_group_option(sub, model_);
    sub.add_option("KEY", own_.key, "Of metadata: the key whose value to print");
  }

  void add_ops() {
    CLI::App& sub = add("ops", "Operators that frit knows", command_ops);
    sub.add_option("NAME", own_.what, "Only this one, with its formula, versions, types, attributes and cases");
    sub.add_flag("--markdown", own_.markdown, "As the page doc/operators.md");
  }

  void add_check() {
    CLI::App& sub = add("check", "Diagnostics of a .sched file", command_check);
    sub.add_option("FILE", own_.file, "The schedule")->required();
    sub.add_option("--model", model_.model, "Check against a group of this model");
    add_model_options(sub, model_, false);
    add_group_option(sub, model_);
    sub.add_option("--level", own_.level, "How deep")
        ->check(CLI::IsMember({"apply", "nest", "lower"}))
        ->capture_default_str();
    sub.add_option("--format", own_.format, "Form of the diagnostics")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->capture_default_str();
  }

  void add_fmt() {
    CLI::App& sub = add("fmt", "The normal form of a .sched file", command_fmt);
    sub.add_option("FILE", own_.file, "The schedule")->required();
    CLI::Option* check = sub.add_flag("--check", own_.check, "Exit with 1 unless it is the file's");
    sub.add_flag("-i", own_.in_place, "Rewrite the file")->excludes(check);
  }

  void add_bench() {
    CLI::App& sub = add("bench", "Time packages, interleaved", command_bench);
    sub.add_option("DIR", own_.folders, "Built packages; DIR@LEVEL runs one of its CPU levels")
        ->required();
    sub.add_option("--runs", own_.runs, "Rounds")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    sub.add_option("--min-time", own_.min_time_s, "Least seconds per package")
        ->check(CLI::Range(0.0, 3600.0))
        ->check(CLI::Validator(refuse_nan, "", "not NaN"))
        ->capture_default_str();
    sub.add_option("--pin", own_.pin, "First core used")->check(CLI::Range(0, 4095));
    sub.add_option("--export-json", own_.export_json, "Write the result to this file too");
  }

  void add_profile() {
    CLI::App& sub = add("profile", "Time by kernel, beside the FMA peak", command_profile);
    add_model_options(sub, model_);
    add_inputs(sub);
    sub.add_option("--runs", own_.runs, "Runs of the model")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    sub.add_option("--pin", own_.pin, "First core used")->check(CLI::Range(0, 4095));
  }

  void add_doctor() {
    CLI::App& sub = add("doctor", "What this machine can do", command_doctor);
    sub.add_flag("--peak", own_.peak, "Measure peak arithmetic and bandwidth too");
  }

  void add_help() {
    CLI::App& sub = add("help", "Schedule, targets, files, exit-codes, numerics", command_help);
    sub.add_option("TOPIC", own_.what, "The topic");
  }

  CLI::App& app_;
  ParsedCommandLine& parsed_;
  ModelOptions& model_;
  CommandOptions& own_;
};

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments) {
  ParsedCommandLine parsed;
  parsed.options.arguments = arguments;
  CLI::App app("Fuses neural operators with Halide; compiles a model to one library and one header",
               "frit");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  add_global_options(app, parsed.options.global);
  Commands commands(app, parsed);
  commands.add_all();
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForVersion&) {
    parsed.command = nullptr;
    parsed.text = kVersion;
  } catch (const CLI::Success&) {
    parsed.command = nullptr;
    const CLI::App* asked = &app;
    for (const CLI::App* sub : app.get_subcommands()) asked = sub;
    parsed.text = asked->help(asked == &app ? "" : "frit");
  } catch (const CLI::ParseError& fault) {
    parsed.command = nullptr;
    parsed.error = fault.what();
    if (app.get_subcommands().empty() && !arguments.empty() && !arguments[0].starts_with('-')) {
      parsed.error = "there is no command '" + arguments[0] + "'";
    }
    // --json must rule the form of this very error too.
    for (const std::string& word : arguments) parsed.options.global.json |= word == "--json";
  }
  return parsed;
}

}  // namespace frit
