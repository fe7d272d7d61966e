// What the command line says, after parsing; nothing here is checked against a model.
#pragma once

#include <string>
#include <vector>

namespace frit {

/// Options before the command.
struct GlobalOptions {
  std::string directory;       ///< -C
  bool json = false;           ///< one JSON document on stdout
  std::string color = "auto";  ///< auto, always, never
  bool quiet = false;
  int verbosity = 0;  ///< number of -v
  std::vector<std::string> log;
  std::string progress = "auto";  ///< auto, plain, none
};

/// Options of every command that takes a model.
struct ModelOptions {
  std::string model;
  std::vector<std::string> shapes;     ///< "x:1x3x48x320"
  std::vector<std::string> constants;  ///< "NAME=FILE.npy"
  std::vector<std::string> targets;    ///< "host" when empty
  int threads = 1;
  std::string numerics = "precise";
  std::string fusion = "greedy";
  std::vector<std::string> fuse;     ///< "A,B"
  std::vector<std::string> no_fuse;  ///< "A,B"
  std::vector<std::string> fence;
  std::vector<std::string> no_pass;  ///< passes switched off
  std::string plan_file;             ///< a plan that is taken instead of the planner's
  std::string schedules_folder;
  std::string group;
};

/// Options of single commands; a command reads its own.
struct CommandOptions {
  std::string out;                      ///< -o
  std::string name;                     ///< --name of the package; "": the model file's
  int jobs = 0;                         ///< -j; 0: as many as cores
  std::vector<std::string> emit;        ///< further parts: plan, objects, schedule, stmt, asm
  std::vector<std::string> cpu_levels;  ///< build, verify: baseline, avx2, avx512
  std::string weights = "inline";       ///< build: inline, external
  bool debug = false;
  std::vector<std::string> inputs;   ///< "name=FILE.npy|zero|random:SEED"
  std::vector<std::string> outputs;  ///< "name=FILE.npy"
  std::vector<std::string> dump;     ///< "NODE=FILE.npy"
  std::vector<std::string> data;     ///< verify: kinds of test data
  bool groups = false;
  bool fusions = false;
  std::string expect;
  std::string pair;                  ///< explain: "A,B"
  std::string what;                  ///< show: graph, passes …; help: the topic; ops: the name
  bool markdown = false;             ///< ops: as a page
  std::string key;                   ///< show metadata: the key
  std::string file;                  ///< check, fmt: the schedule
  bool check = false;                ///< fmt: only say whether it is in normal form
  bool in_place = false;             ///< fmt: rewrite the file
  std::string level = "lower";       ///< check: apply, nest, lower
  std::string format = "text";       ///< check: text, json, sarif
  std::vector<std::string> folders;  ///< bench: packages
  int runs = 30;
  double min_time_s = 1.0;
  int pin = -1;  ///< bench: first core; -1: the last ones
  std::string export_json;
  bool peak = false;
};

struct Options {
  GlobalOptions global;
  ModelOptions model;
  CommandOptions command;
  std::vector<std::string> arguments;  ///< argv without the program, for reproduce lines
};

/// "frit build m.onnx -o out", quoted for a shell.
std::string reproduce_line(const Options& options);

}  // namespace frit
