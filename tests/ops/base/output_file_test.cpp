#include "ops/base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

namespace frit {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class OutputFile : public ::testing::Test {
 protected:
  OutputFile() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename());
    return all;
  }
  /// An old file.
  std::string old(const std::string& name) const {
    std::ofstream(at(name)) << "old " << name;
    return at(name);
  }

  fs::path folder_ = ::testing::TempDir() + "/output_file_" + std::to_string(::getpid());
};

TEST_F(OutputFile, IsWrittenAndReplacedWithItsPermissions) {
  EXPECT_EQ(write_whole(at("a"), std::string("one\0two", 7)), "");
  EXPECT_EQ(text_of(at("a")), std::string("one\0two", 7));
  fs::permissions(at("a"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(write_whole(at("a"), ""), "");
  EXPECT_EQ(text_of(at("a")), "");
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, GoesWhereALinkPoints) {
  fs::create_directory(at("inner"));
  fs::create_symlink("inner/file", at("link"));  // nothing there yet
  EXPECT_EQ(write_whole(at("link"), "first"), "");
  EXPECT_EQ(write_whole(at("link"), "second"), "");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(text_of(at("inner/file")), "second");
}

TEST_F(OutputFile, IsRefusedWithTheReason) {
  EXPECT_EQ(write_whole(at("no/such"), "x"),
            "cannot write '" + at("no/such") +
                "': No such file or directory; give a path that can be written");
  fs::create_directory(at("inner"));
  EXPECT_EQ(write_whole(at("inner"), "x"),
            "cannot write '" + at("inner") + "': Is a directory; give a path that can be written");
  EXPECT_THAT(names(), ElementsAre("inner"));
}

TEST_F(OutputFile, LeavesTheOldOneWhenTheDiskIsFull) {
  old("a");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool right =
        write_whole(at("a"), std::string(1000, 'x')) ==
        "cannot write '" + at("a") + "': File too large; free some space or write elsewhere";
    std::_Exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(at("a")), "old a");
  EXPECT_THAT(names(), ElementsAre("a"));
}

// What is no file is never replaced, whether or not it takes the bytes.
TEST_F(OutputFile, WritesIntoAPipeAndLeavesItThere) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(write_whole(at("pipe"), "through"), "");
  std::array<char, 20> got = {};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  EXPECT_STREQ(got.data(), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
  EXPECT_THAT(names(), ElementsAre("pipe"));
}

TEST_F(OutputFile, WritesIntoAnOpenFileByItsNumber) {
  const int file = ::open(at("a").c_str(), O_RDWR | O_CREAT, 0600);
  EXPECT_EQ(write_whole("/dev/fd/" + std::to_string(file), "text"), "");
  std::array<char, 20> got = {};
  EXPECT_EQ(::pread(file, got.data(), got.size(), 0), 4);
  EXPECT_STREQ(got.data(), "text");
  ::close(file);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, AppearsWithTheOthers) {
  OutputFiles files;
  EXPECT_EQ(files.add(old("a"), "new a"), "");
  EXPECT_EQ(files.add(at("b"), "new b"), "");
  std::ofstream(at("made")) << "new c";
  EXPECT_EQ(files.add_made(old("c"), at("made")), "");
  EXPECT_EQ(text_of(at("a")), "old a");
  EXPECT_FALSE(fs::exists(at("b")));
  EXPECT_EQ(files.put_in_place(), "");
  EXPECT_EQ(text_of(at("a")) + text_of(at("b")) + text_of(at("c")), "new anew bnew c");
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
}

TEST_F(OutputFile, IsTakenBackWhenAnotherCannotBePutInPlace) {
  {
    OutputFiles files;
    EXPECT_EQ(files.add(old("a"), "new a"), "");
    EXPECT_EQ(files.add(at("b"), "new b"), "");
    EXPECT_EQ(files.add_made(old("c"), at("gone")), "");
    EXPECT_THAT(files.put_in_place(), ::testing::HasSubstr("cannot write '" + at("c") + "': No"));
  }
  EXPECT_EQ(text_of(at("a")), "old a");
  EXPECT_EQ(text_of(at("c")), "old c");
  EXPECT_THAT(names(), ElementsAre("a", "c"));
}

TEST_F(OutputFile, ThatIsNotPutInPlaceGoesAway) {
  { EXPECT_EQ(OutputFiles().add(at("a"), "x"), ""); }
  EXPECT_THAT(names(), ElementsAre());
}

}  // namespace
}  // namespace frit
