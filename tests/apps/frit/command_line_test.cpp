#include "apps/frit/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CommandLine, NamesTheUnknownCommand) {
  EXPECT_EQ(parse_command_line({"frob"}).error, "there is no command 'frob'");
  EXPECT_THAT(parse_command_line({}).error, HasSubstr("subcommand is required"));
}

TEST(CommandLine, TakesGlobalOptionsBeforeAndAfterTheCommand) {
  EXPECT_TRUE(parse_command_line({"--json", "doctor"}).options.global.json);
  EXPECT_TRUE(parse_command_line({"doctor", "--json"}).options.global.json);
  EXPECT_EQ(parse_command_line({"-vv", "doctor"}).options.global.verbosity, 2);
}

TEST(CommandLine, KnowsFromTheWordsThatAFaultIsWantedAsJson) {
  const auto parsed = parse_command_line({"doctor", "--no-such", "--json"});
  EXPECT_FALSE(parsed.error.empty());
  EXPECT_TRUE(parsed.options.global.json);
}

TEST(CommandLine, AnswersHelpAndVersionWithoutACommand) {
  EXPECT_EQ(parse_command_line({"--version"}).text, "frit " FRIT_VERSION);
  const auto help = parse_command_line({"doctor", "--help"});
  EXPECT_EQ(help.command, nullptr);
  EXPECT_THAT(help.text, HasSubstr("frit doctor"));
}

TEST(Options, ReproduceLineQuotesWhatTheShellWouldChange) {
  Options options;
  options.arguments = {"run", "it's a.onnx", "--shape", "x:1x3", ""};
  EXPECT_EQ(reproduce_line(options), "frit run 'it'\\''s a.onnx' --shape x:1x3 ''");
}

TEST(ExitCodes, FollowFromTheAreaOfADiagnostic) {
  EXPECT_EQ(exit_code_of("cli-usage"), ExitCode::kCommandLine);
  EXPECT_EQ(exit_code_of("onnx-unsupported-op"), ExitCode::kRejected);
  EXPECT_EQ(exit_code_of("sched-syntax"), ExitCode::kRejected);
  EXPECT_EQ(exit_code_of("emit-crash"), ExitCode::kCompile);
  EXPECT_EQ(exit_code_of("package-write"), ExitCode::kRun);
  EXPECT_EQ(exit_code_of("cache-write"), ExitCode::kRun);
  EXPECT_EQ(exit_code_of("package-tool"), ExitCode::kCompile);
  EXPECT_EQ(exit_code_of("interrupted"), ExitCode::kInterrupted);
}

}  // namespace
}  // namespace frit
