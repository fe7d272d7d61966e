#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/checksum.h"
#include "runtime/weights.h"
extern "C" {
#include "runtime/error.h"
}

namespace {

/// The formula of checksum.h, one word at a time.
std::uint64_t checksum_by_the_word(const std::vector<std::uint64_t>& words) {
  const auto mix = [](std::uint64_t v) {
    v ^= v >> 32;
    v *= 0x9E3779B97F4A7C15U;
    return v ^ (v >> 32);
  };
  std::uint64_t lanes[4];
  for (std::uint64_t j = 0; j < 4; ++j) lanes[j] = mix(j + 1);
  for (std::size_t i = 0; i < words.size(); ++i) lanes[i % 4] = mix(lanes[i % 4] ^ words[i]);
  std::uint64_t result = mix(8 * words.size());
  for (const std::uint64_t lane : lanes) result = mix(result ^ lane);
  return result;
}

std::vector<std::uint64_t> random_words(std::size_t count) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = random();
  return words;
}

TEST(Checksum, IsTheFormulaOfItsHeader) {
  for (const std::size_t count : {0U, 4U, 8U, 64U, 4000U}) {
    const auto words = random_words(count);
    EXPECT_EQ(frit_checksum(words.data(), 8 * count), checksum_by_the_word(words)) << count;
  }
  // Written in files: computed once in Python, never to change.
  EXPECT_EQ(frit_checksum(nullptr, 0), 0x8237327a61d3653U);
  const std::vector<std::uint64_t> counted = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(frit_checksum(counted.data(), 64), 0xeae944c8d50b8afcU);
}

TEST(Checksum, TellsFlippedBitsSwappedWordsAndZerosAtTheEnd) {
  std::vector<std::uint64_t> words = random_words(64);
  words.resize(128);  // half of it zeros
  std::set<std::uint64_t> seen = {frit_checksum(words.data(), 512),
                                  frit_checksum(words.data(), 544),
                                  frit_checksum(words.data(), 1024)};
  EXPECT_EQ(seen.size(), 3U);
  for (std::size_t bit = 0; bit < 64 * words.size(); ++bit) {
    words[bit / 64] ^= std::uint64_t{1} << bit % 64;
    EXPECT_TRUE(seen.insert(frit_checksum(words.data(), 1024)).second) << bit;
    words[bit / 64] ^= std::uint64_t{1} << bit % 64;
  }
  for (std::size_t i = 1; i < 64; ++i) {
    std::swap(words[0], words[i]);
    EXPECT_TRUE(seen.insert(frit_checksum(words.data(), 1024)).second) << i;
    std::swap(words[0], words[i]);
    // Signs of two numbers in one lane: a sum or an exclusive or would not see both.
    words[0] ^= std::uint64_t{1} << 63;
    words[i] ^= std::uint64_t{1} << 63;
    EXPECT_TRUE(seen.insert(frit_checksum(words.data(), 1024)).second) << i;
    words[0] ^= std::uint64_t{1} << 63;
    words[i] ^= std::uint64_t{1} << 63;
  }
}

/// A file of 256 bytes of content.
class WeightsFile : public ::testing::Test {
 protected:
  static constexpr std::size_t kContent = 256;
  static constexpr std::size_t kBytes = sizeof(frit_weights_header) + kContent;

  WeightsFile() {
    std::memcpy(header_.magic, FRIT_WEIGHTS_MAGIC, sizeof header_.magic);
    header_.format = FRIT_WEIGHTS_FORMAT;
    header_.header_bytes = sizeof header_;
    header_.content_bytes = kContent;
    header_.identity[0] = 11;
    header_.identity[1] = 12;
    const auto words = random_words(kContent / 8);
    header_.checksum = frit_checksum(words.data(), kContent);
    std::memcpy(file_, &header_, sizeof header_);
    std::memcpy(file_ + sizeof header_, words.data(), kContent);
  }

  int check(std::size_t bytes = kBytes, bool trusted = false) const {
    return frit_check_weights(file_, bytes, &header_, trusted);
  }

  frit_weights_header header_ = {};
  alignas(64) std::uint8_t file_[kBytes + 64] = {};
};

TEST_F(WeightsFile, OfThisPackageIsTaken) {
  EXPECT_EQ(check(), FRIT_OK);
  EXPECT_EQ(check(kBytes + 64), FRIT_OK);  // a mapping may be longer
}

TEST_F(WeightsFile, TruncatedAnywhereIsRefused) {
  for (std::size_t bytes = 0; bytes < kBytes; ++bytes) {
    EXPECT_EQ(check(bytes), FRIT_WEIGHTS_SIZE) << bytes;
    EXPECT_EQ(check(bytes, true), FRIT_WEIGHTS_SIZE) << bytes;
  }
}

TEST_F(WeightsFile, NullOrMisalignedIsRefused) {
  EXPECT_EQ(frit_check_weights(nullptr, kBytes, &header_, 0), FRIT_NO_WEIGHTS);
  EXPECT_EQ(frit_check_weights(nullptr, 0, &header_, 1), FRIT_NO_WEIGHTS);
  for (std::size_t k = 1; k < 64; ++k) {
    EXPECT_EQ(frit_check_weights(file_ + k, kBytes, &header_, 1), FRIT_WEIGHTS_ALIGNMENT) << k;
  }
}

/// What a flipped bit at this byte of the file makes it look like.
int code_of_flip(std::size_t byte) {
  if (byte < 8) return FRIT_WEIGHTS_KIND;
  if (byte < 12) return FRIT_WEIGHTS_VERSION;
  return byte >= 24 && byte < 40 ? FRIT_WEIGHTS_PACKAGE : FRIT_WEIGHTS_DAMAGED;
}

TEST_F(WeightsFile, EveryFlippedBitIsRefused) {
  for (std::size_t bit = 0; bit < 8 * kBytes; ++bit) {
    const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
    file_[bit / 8] = static_cast<std::uint8_t>(file_[bit / 8] ^ mask);
    EXPECT_EQ(check(), code_of_flip(bit / 8)) << bit;
    // Trusted: the header is compared all the same.
    const int unread = bit / 8 < sizeof header_ ? code_of_flip(bit / 8) : FRIT_OK;
    EXPECT_EQ(check(kBytes, true), unread) << bit;
    file_[bit / 8] = static_cast<std::uint8_t>(file_[bit / 8] ^ mask);
  }
}

TEST_F(WeightsFile, OfAnotherPackageIsNamedAsSuchWhateverItsSize) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{64}, ~std::uint64_t{0}}) {
    frit_weights_header other = header_;
    other.identity[1] = 13;
    other.content_bytes = bytes;
    EXPECT_EQ(frit_check_weights(file_, kBytes, &other, 0), FRIT_WEIGHTS_PACKAGE);
  }
  // A package that claims a size that no file has: its bytes are never added up to wrap round.
  frit_weights_header huge = header_;
  huge.content_bytes = ~std::uint64_t{0};
  std::memcpy(file_, &huge, sizeof huge);
  EXPECT_EQ(frit_check_weights(file_, kBytes, &huge, 0), FRIT_WEIGHTS_SIZE);
}

TEST_F(WeightsFile, EveryCodeHasItsOwnSentence) {
  std::set<std::string> sentences;
  for (int code = FRIT_NO_WEIGHTS; code <= FRIT_WEIGHTS_FILE; ++code) {
    EXPECT_TRUE(sentences.insert(frit_error_text(code)).second) << code;
    EXPECT_STRNE(frit_error_text(code), frit_error_text(-1)) << code;
  }
}

}  // namespace
