// Texts: normal form, round trips, hostile input.
#include <gtest/gtest.h>

#include <random>

#include "schedules/ast.h"
#include "schedules/expression.h"
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

std::string normal(const std::string& text) {
  const auto schedule = parse_schedule(text, "t.sched");
  if (schedule) return print_schedule(*schedule);
  return "fault: " + to_text(schedule.error().front());
}

TEST(Printer, KeepsCommentsOrderAndBlocks) {
  EXPECT_EQ(normal("schedule   1\n"
                   "#what it is for\n\n\n"
                   "for conv2d ,grouped_conv2d#two\n"
                   "when x86.avx512 and  (k%32)==0\n"
                   "param kb=2 in{1,2}\n"
                   "let both=kb*(lanes)\n"
                   "constraint (kb)>0\n"
                   "minimise k%(kb)\n"
                   "pack w(k%(both),rx,ry,c,k/(both))\n"
                   "if k>3 # big\n"
                   "out . split( k,ko,ki,both, TailStrategy::GuardWithIf ) .vectorize(ki)\n"
                   "else if k==2\n"
                   "optional pre_0.compute_at(out,ko)\n"
                   "else\n"
                   "parts=acc.update( ).rfactor({ {a , b} })\n"
                   "end\n"
                   "epi_*.compute_inline()\n\n"),
            "schedule 1\n"
            "# what it is for\n\n"
            "for conv2d, grouped_conv2d  # two\n"
            "when x86.avx512 and k % 32 == 0\n"
            "param kb = 2 in {1, 2}\n"
            "let both = kb * lanes\n"
            "constraint kb > 0\n"
            "minimise k % kb\n"
            "pack w (k % both, rx, ry, c, k / both)\n"
            "if k > 3  # big\n"
            "  out.split(k, ko, ki, both, TailStrategy::GuardWithIf).vectorize(ki)\n"
            "else if k == 2\n"
            "  optional pre_0.compute_at(out, ko)\n"
            "else\n"
            "  parts = acc.update().rfactor({{a, b}})\n"
            "end\n"
            "epi_*.compute_inline()\n");
}

// A random expression as text, with more parentheses than it needs.
std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(4) == 0) {
    static const char* const kLeaves[] = {"1", "7", "k", "x", "lanes", "x86.avx512", "30"};
    return kLeaves[pick(7)];
  }
  const auto part = [&] {
    const std::string text = random_expression(random, depth - 1);
    return pick(2) == 0 ? "(" + text + ")" : text;
  };
  static const char* const kOperators[] = {
      "+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "and", "or"};
  switch (pick(6)) {
    case 0:
      return "not (" + part() + ")";
    case 1:
      return "-" + ("(" + part() + ")");
    case 2:
      return "max(" + part() + ", " + part() + ")";
    case 3:
      return "(" + part() + ") ? " + part() + " : " + part();
    default:
      return "(" + part() + ") " + kOperators[pick(13)] + " (" + part() + ")";
  }
}

TEST(Printer, PrintOfParseIsTheIdentityOnItsOwnOutput) {
  std::mt19937 random(7);
  const ScheduleAst nowhere;
  const Facts facts = {{"k", 48}, {"x", 5}, {"lanes", 16}, {"x86", 1}, {"avx512", 1}};
  int printed = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "schedule 1\nfor test\nlet a = " + random_expression(random, 5) + "\n";
    const auto schedule = parse_schedule(text, "t");
    if (!schedule) continue;  // a chain of comparisons
    ++printed;
    const std::string once = print_schedule(*schedule);
    const auto again = parse_schedule(once, "t");
    ASSERT_TRUE(again.has_value()) << text << once << to_text(again.error().front());
    EXPECT_EQ(once, print_schedule(*again));
    const auto before = evaluate(nowhere, schedule->ast->items[2].value, facts);
    const auto after = evaluate(nowhere, again->ast->items[2].value, facts);
    ASSERT_EQ(before.has_value(), after.has_value()) << text << once;
    if (before) {
      EXPECT_EQ(*before, *after) << text << once;
    }
  }
  EXPECT_GT(printed, 1000);
}

std::int64_t value_of(const std::string& expression, const Facts& facts = {}) {
  const auto schedule = parse_schedule("schedule 1\nfor test\nlet a = " + expression + "\n", "t");
  if (!schedule) return -999;
  const auto value = evaluate(*schedule->ast, schedule->ast->items[2].value, facts);
  return value ? *value : -1000;
}

TEST(Expressions, HaveTheirValues) {
  EXPECT_EQ(value_of("-7 / 2"), -4);
  EXPECT_EQ(value_of("-7 % 2"), 1);
  EXPECT_EQ(value_of("7 % -2"), -1);
  EXPECT_EQ(value_of("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value_of("not 0 and 2 > 1 or 1 / 0"), 1);
  EXPECT_EQ(value_of("0 and 1 / 0"), 0);
  EXPECT_EQ(value_of("1 ? 2 : 1 / 0"), 2);
  EXPECT_EQ(value_of("ceil_div(7, 2) + ceil_div(-7, 2)"), 1);
  EXPECT_EQ(value_of("round_up(17, 16)"), 32);
  EXPECT_EQ(value_of("divides(3, 9) * 10 + divides(4, 9)"), 10);
  EXPECT_EQ(value_of("largest_divisor(56, 10)"), 8);
  EXPECT_EQ(value_of("largest_divisor(31, 14)"), 1);
  EXPECT_EQ(value_of("pow2_floor(63)"), 32);
  EXPECT_EQ(value_of("min(3, 1, 2) + max(3, 1, 2)"), 4);
  EXPECT_EQ(value_of("known(k) + known(q)", {{"k", 0}}), 1);
  EXPECT_EQ(value_of("x86.avx512 + arm.neon", {{"x86", 1}, {"avx512", 1}, {"arm", 0}, {"neon", 0}}),
            1);
}

TEST(Expressions, RefuseWhatHasNoValue) {
  for (const char* text :
       {"1 / 0", "1 % 0", "9223372036854775807 + 1", "-9223372036854775807 - 2",
        "4611686018427387904 * 2", "pow2_floor(0)", "largest_divisor(0, 3)", "nonsense(1)", "k",
        "(-9223372036854775807 - 1) / -1", "largest_divisor(9223372036854775807, 4000000)"}) {
    EXPECT_EQ(value_of(text), -1000) << text;
  }
}

TEST(Parser, HostileTextsAreRefusedAndNeverCrash) {
  const std::string start = "schedule 1\nfor test\n";
  const std::string deep(5000, '('), minus(5000, '-');
  std::string sum = "let a = 1", ifs, calls = "out";
  for (int i = 0; i < 2000; ++i) sum += "+1";
  for (int i = 0; i < 5000; ++i) ifs += "if 1\n";
  for (int i = 0; i < 300; ++i) calls += ".vectorize(x)";
  const std::string texts[] = {"",
                               std::string(3, '\0'),
                               start + std::string("out.split(x\0, a, b, 4)", 22),
                               start + "let a = " + deep,
                               start + "let a = " + minus + "1",
                               start + "let a = " + deep.substr(0, 2000),
                               start + sum,
                               start + ifs,
                               start + "out.reorder(" + std::string(4000, '{'),
                               start + std::string(1 << 16, 'x'),
                               std::string((1 << 20) + 1, '\n'),
                               start + "let a = 99999999999999999999",
                               start + "out",
                               start + "out.",
                               start + "out.split(",
                               start + "out.split(x,,",
                               start + "pack w (k % ",
                               start + "param a = in {",
                               start + "else\nend\nend",
                               "\xff\xfe\x00s",
                               start + "for again"};
  for (const std::string& text : texts) {
    const auto schedule = parse_schedule(text, "hostile.sched");
    EXPECT_FALSE(schedule.has_value()) << text.substr(0, 60);
    if (schedule) continue;
    EXPECT_LE(schedule.error().size(), 51U);
    for (const Diagnostic& fault : schedule.error()) EXPECT_FALSE(to_text(fault).empty());
  }
  EXPECT_TRUE(parse_schedule(start + calls.substr(0, 4000), "t").has_value() ||
              calls.size() > 4000);
}

TEST(Parser, MutatedTextsNeverCrashAndPrintAgain) {
  std::mt19937 random(11);
  for (const Schedule& shipped : shipped_schedules()) {
    const std::string text = print_schedule(shipped);
    for (int i = 0; i < 200; ++i) {
      std::string mutated = text;
      for (int edit = 0; edit < 3; ++edit) {
        const std::size_t at = random() % mutated.size();
        const auto byte = static_cast<char>(random() % 256);
        if (random() % 3 == 0) {
          mutated.erase(at, 1 + random() % 5);
        } else if (random() % 2 == 0) {
          mutated[at] = byte;
        } else {
          mutated.insert(at, mutated.substr(random() % mutated.size(), 6));
        }
      }
      const auto schedule = parse_schedule(mutated, "mutated.sched");
      if (!schedule) continue;
      const std::string once = print_schedule(*schedule);
      const auto again = parse_schedule(once, "mutated.sched");
      ASSERT_TRUE(again.has_value()) << once << to_text(again.error().front());
      EXPECT_EQ(once, print_schedule(*again));
    }
  }
}

TEST(Parser, AllFaultsComeAtOnce) {
  const auto schedule =
      parse_schedule("schedule 1\nfor test\nout.split(x,\nlet = 3\nwhen 1 +\n", "t.sched");
  ASSERT_FALSE(schedule.has_value());
  EXPECT_EQ(schedule.error().size(), 3U);
  EXPECT_EQ(schedule.error()[1].place.line, 4);
}

TEST(Binding, ParamsTakeDefaultsAndChosenValues) {
  const Schedule schedule = parsed("param a = 2 * k in {2, 4}\nlet b = a + 1\n");
  EXPECT_EQ(bind_params(schedule, {{"k", 3}}, {})->at("b"), 7);
  EXPECT_EQ(bind_params(schedule, {{"k", 3}}, {{"a", 4}})->at("b"), 5);
  EXPECT_EQ(bind_params(schedule, {{"k", 3}}, {{"a", 5}}).error().code, "sched-param-value");
  EXPECT_EQ(bind_params(schedule, {{"k", 3}}, {{"c", 5}}).error().code, "sched-param-value");
}

TEST(Binding, MinimiseTakesTheLeastOfAllThatTheConstraintsAllow) {
  const Schedule schedule = parsed(
      "param a = 1 in {2, 3, 4, 5}\nconstraint a != 4\nlet twice = 2 * a\n"
      "param b = 7 in {1, a}\nconstraint a * b <= 12\nminimise 100 - twice * b - b\n");
  // a, b: 3, 3 gives 100 - 18 - 3 = 79, 2, 2 gives 90, 5, 1 gives 89, 1, 7 gives 79 and is first.
  const auto bound = bind_params(schedule, {{"k", 3}}, {});
  EXPECT_EQ(bound->at("a"), 1);
  EXPECT_EQ(bound->at("b"), 7);
  // What is chosen from outside stays; the rest is searched around it.
  EXPECT_EQ(bind_params(schedule, {}, {{"a", 3}})->at("b"), 3);
  EXPECT_EQ(bind_params(schedule, {}, {{"b", 1}})->at("a"), 5);
  EXPECT_EQ(bind_params(schedule, {}, {{"a", 4}}).error().code, "sched-minimise");
}

TEST(Binding, MinimiseIsBounded) {
  std::string text;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    text += std::string("param ") + name + " = 0 in {1, 2, 3, 4, 5, 6, 7}\n";
  }
  const auto bound = bind_params(parsed(text + "minimise a + b + c + d + e + f\n"), {}, {});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, "sched-minimise");
}

TEST(Binding, FilesApplyByAnchorAndConditions) {
  const Schedule schedule =
      *parse_schedule("schedule 1\nfor a, b\nwhen k > 1\nwhen q or k == 3\n", "t");
  EXPECT_TRUE(applies(schedule, "a", {{"k", 3}, {"q", 0}}));
  EXPECT_FALSE(applies(schedule, "c", {{"k", 3}, {"q", 0}}));
  EXPECT_FALSE(applies(schedule, "a", {{"k", 2}, {"q", 0}}));
  EXPECT_FALSE(applies(schedule, "a", {{"k", 3}}));  // q is unknown
}

TEST(Binding, PacksGetTheirNumbers) {
  const Schedule schedule = parsed(
      "param kb = 2\nif k > 8\n  pack w (k % (4 * kb), c, k / (4 * kb))\n"
      "else\n  pack w (c, k)\nend\n");
  const auto big = packs_of(schedule, *bind_params(schedule, {{"k", 16}}, {}));
  ASSERT_TRUE(big.has_value());
  const PackSpec want{"w", {{"k", 1, 8}, {"c", 1, 0}, {"k", 8, 0}}};
  EXPECT_EQ(big->at(0), want);
  EXPECT_EQ(packs_of(schedule, *bind_params(schedule, {{"k", 8}}, {}))->at(0).dims.size(), 2U);
}

}  // namespace
}  // namespace frit::testing
