#include "generators/emit/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "generators/emit/pipe.h"

extern char** environ;

namespace frit {
namespace {

constexpr std::size_t kNoteBytes = 2000;  // of a tool's messages kept

/// posix_spawn's actions, destroyed with the scope.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// Everything written to `fd` until its end; only the last kNoteBytes are kept.
std::string read_tail(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > 4 * kNoteBytes) text.erase(0, text.size() - kNoteBytes);
  }
  return text.size() > kNoteBytes ? text.substr(text.size() - kNoteBytes) : text;
}

Diagnostic tool_error(const ToolRun& run, const std::string& what, const std::string& messages) {
  Diagnostic problem = error("package-tool", fmt::format("'{}' {}", run.arguments[0], what));
  std::string line;
  for (const std::string& word : run.arguments) line += (line.empty() ? "" : " ") + word;
  problem.notes.push_back("command: " + line);
  std::istringstream lines(messages);
  for (std::string message; std::getline(lines, message);) problem.notes.push_back(message);
  return problem;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

bool is_host(Architecture architecture) {
#if defined(__x86_64__)
  return architecture != Architecture::kAArch64;
#elif defined(__aarch64__)
  return architecture != Architecture::kX86_64;
#else
  return architecture == Architecture::kHost;
#endif
}

}  // namespace

Status run_tool(const ToolRun& run) {
  int ends[2];
  if (!make_pipe(ends)) {
    return fail(tool_error(run, std::string("cannot be run: ") + std::strerror(errno), ""));
  }
  SpawnActions actions;
  if (!run.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), run.folder.c_str());
  }
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : run.arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int spawned = posix_spawnp(&pid, argv[0], actions.get(), nullptr, argv.data(), environ);
  close(ends[1]);
  const std::string messages = spawned == 0 ? read_tail(ends[0]) : "";
  close(ends[0]);
  if (spawned != 0) {
    return fail(tool_error(run,
                           fmt::format("cannot be started ({}); install a C compiler and binutils "
                                       "for the target, or set CC",
                                       std::strerror(spawned)),
                           ""));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFEXITED(status)
                              ? fmt::format("ended with status {}", WEXITSTATUS(status))
                              : fmt::format("was ended by signal {}", WTERMSIG(status));
  return fail(tool_error(run, how, messages));
}

Toolchain toolchain_for(Architecture architecture) {
  Toolchain tools;
  if (is_host(architecture)) {
    const char* cc = std::getenv("CC");
    tools.cc = words(cc != nullptr ? cc : "");
    if (tools.cc.empty()) tools.cc = {"cc"};
    tools.objcopy = "objcopy";
    tools.ar = "ar";
    return tools;
  }
  const std::string prefix =
      architecture == Architecture::kAArch64 ? "aarch64-linux-gnu-" : "x86_64-linux-gnu-";
  tools.cc = {prefix + "gcc"};
  tools.objcopy = prefix + "objcopy";
  tools.ar = prefix + "ar";
  return tools;
}

}  // namespace frit
