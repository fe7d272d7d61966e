#include "generators/emit/fork_pool.h"

#include <Halide.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "generators/emit/diagnostic_json.h"
#include "generators/emit/pipe.h"

namespace frit {
namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  std::size_t job = 0;
  pid_t pid = -1;
  int answer = -1;  // read end: status byte, then text
  int errors = -1;  // read end of the child's stderr
  std::string answer_text, error_text;
  Clock::time_point start;
  bool timed_out = false;
};

// Compiler messages may hold any bytes; JSON may not.
std::string safe_dump(const Diagnostic& diagnostic) {
  return diagnostic_to_json(diagnostic)
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "no reason given" : text;
}

std::string memory_message(const ForkLimits& limits) {
  const std::string most = limits.memory_bytes > 0
                               ? fmt::format("the limit of {} MiB", limits.memory_bytes >> 20)
                               : "what the machine has";
  return "compiling needs more memory than " + most +
         "; give a simpler schedule or forbid a fusion in this group";
}

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

// Nothing that the work throws may leave: it would be caught by the parent's handlers, in the
// child.
std::string answer_of(const ForkJob& job, const ForkLimits& limits) {
  const auto refusal = [&](const std::string& code, const std::string& why) {
    return "-" + safe_dump(error(code, job.name + ": " + why));
  };
  try {
    const Result<std::string> outcome = job.work();
    return outcome ? "+" + *outcome : "-" + safe_dump(outcome.error());
  } catch (const std::bad_alloc&) {
    return refusal("emit-memory", memory_message(limits));
  } catch (const std::exception& problem) {
    return refusal("emit-exception", problem.what() + std::string("; please report it"));
  } catch (const Halide::Error& problem) {  // which is no std::exception
    return refusal("emit-halide", "Halide refuses: " + trimmed(problem.what()) +
                                      "; change the schedule, or please report it");
  } catch (...) {
    return refusal("emit-exception", "something unknown was thrown; please report it");
  }
}

// In the child: does the work and leaves without running the parent's exit handlers. What is thrown
// even so (no memory left for the answer) aborts it.
[[noreturn]] void run_child(const ForkJob& job, const ForkLimits& limits, int answer,
                            int errors) noexcept {
  ::dup2(errors, STDERR_FILENO);
  ::dup2(errors, STDOUT_FILENO);
  std::signal(SIGINT, SIG_IGN);  // the parent decides; it kills us on Ctrl-C
  if (limits.memory_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(limits.memory_bytes);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  write_all(answer, answer_of(job, limits));
  std::_Exit(0);
}

// Reads what is there; closes and returns false at the end of the stream.
bool drain(int& fd, std::string& text) {
  char buffer[65536];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n <= 0) {
    ::close(fd);
    fd = -1;
    return false;
  }
  text.append(buffer, static_cast<std::size_t>(n));
  return true;
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kKept = 2000;
  return text.size() <= kKept ? text : text.substr(text.size() - kKept);
}

Result<std::string> outcome_of(const ForkJob& job, const Child& child, int status,
                               const ForkLimits& limits) {
  if (child.timed_out) {
    return fail("emit-timeout", fmt::format("{}: compiling took over {} s and was stopped; give a "
                                            "simpler schedule or forbid a fusion in this group",
                                            job.name, limits.wall_seconds));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !child.answer_text.empty()) {
    const std::string body = child.answer_text.substr(1);
    if (child.answer_text[0] == '+') return body;
    const auto refusal = nlohmann::json::parse(body, nullptr, false);
    if (refusal.is_object()) return fail(diagnostic_from_json(refusal));
  }
  Diagnostic crash =
      error("emit-crash", WIFSIGNALED(status)
                              ? fmt::format("{}: the compiler process died of signal {} ({})",
                                            job.name, WTERMSIG(status), strsignal(WTERMSIG(status)))
                              : fmt::format("{}: the compiler process left with code {}", job.name,
                                            WEXITSTATUS(status)));
  if (!child.error_text.empty()) crash.notes.push_back(last_lines(child.error_text));
  return fail(std::move(crash));
}

class Pool {
 public:
  Pool(const std::vector<ForkJob>& jobs, const ForkLimits& limits, const ForkDone& done)
      : jobs_(jobs), limits_(limits), done_(done) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      outcomes_.emplace_back(
          fail("interrupted",
               jobs[i].name +
                   ": not started; run the command again, finished kernels stay in the cache"));
    }
  }

  std::vector<Result<std::string>> run(int parallel, const std::function<bool()>& stop) {
    std::size_t next = 0;
    while (next < jobs_.size() || !children_.empty()) {
      if (stop && stop()) {
        kill_all();
        break;
      }
      while (next < jobs_.size() && children_.size() < static_cast<std::size_t>(parallel)) {
        start(next++);
      }
      wait_for_news();
    }
    return std::move(outcomes_);
  }

 private:
  void start(std::size_t job) {
    int answer[2], errors[2];
    if (!make_pipe(answer)) return no_pipe(job);
    if (!make_pipe(errors)) {
      ::close(answer[0]);
      ::close(answer[1]);
      return no_pipe(job);
    }
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) run_child(jobs_[job], limits_, answer[1], errors[1]);
    ::close(answer[1]);
    ::close(errors[1]);
    if (pid < 0) {
      ::close(answer[0]);
      ::close(errors[0]);
      outcomes_[job] = fail("emit-fork", std::string("cannot fork: ") + std::strerror(errno) +
                                             "; close other programs or lower -j");
      return;
    }
    Child child;
    child.job = job;
    child.pid = pid;
    child.answer = answer[0];
    child.errors = errors[0];
    child.start = Clock::now();
    children_.push_back(std::move(child));
  }

  void no_pipe(std::size_t job) {
    outcomes_[job] = fail("emit-fork", std::string("no pipe: ") + std::strerror(errno) +
                                           "; close other programs or lower -j");
  }

  void wait_for_news() {
    std::vector<pollfd> polled;
    for (const Child& child : children_) {
      if (child.answer >= 0) polled.push_back({child.answer, POLLIN, 0});
      if (child.errors >= 0) polled.push_back({child.errors, POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), 100);
    const auto ready = [&](int fd) {
      for (const pollfd& one : polled) {
        if (one.fd == fd) return one.revents != 0;
      }
      return false;
    };
    for (std::size_t i = 0; i < children_.size();) {
      Child& child = children_[i];
      if (child.answer >= 0 && ready(child.answer)) drain(child.answer, child.answer_text);
      if (child.errors >= 0 && ready(child.errors)) drain(child.errors, child.error_text);
      if (Clock::now() - child.start > std::chrono::seconds(limits_.wall_seconds)) {
        child.timed_out = true;
        ::kill(child.pid, SIGKILL);
      }
      if (child.timed_out || (child.answer < 0 && child.errors < 0)) {
        finish(i);
      } else {
        ++i;
      }
    }
  }

  void finish(std::size_t i) {
    Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    int status = 0;
    while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (child.answer >= 0) ::close(child.answer);
    if (child.errors >= 0) ::close(child.errors);
    outcomes_[child.job] = outcome_of(jobs_[child.job], child, status, limits_);
    if (done_) done_(child.job, outcomes_[child.job]);
  }

  void kill_all() {
    for (Child& child : children_) ::kill(child.pid, SIGKILL);
    for (Child& child : children_) {
      int status = 0;
      while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
      }
      if (child.answer >= 0) ::close(child.answer);
      if (child.errors >= 0) ::close(child.errors);
    }
    children_.clear();
  }

  const std::vector<ForkJob>& jobs_;
  const ForkLimits& limits_;
  const ForkDone& done_;
  std::vector<Child> children_;
  std::vector<Result<std::string>> outcomes_;
};

}  // namespace

std::vector<Result<std::string>> run_forked(const std::vector<ForkJob>& jobs, int parallel,
                                            const ForkLimits& limits, const ForkDone& done,
                                            const std::function<bool()>& stop) {
  return Pool(jobs, limits, done).run(std::max(parallel, 1), stop);
}

}  // namespace frit
