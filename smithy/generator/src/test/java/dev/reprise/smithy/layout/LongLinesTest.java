package dev.reprise.smithy.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.smithy.Oracle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LongLinesTest {
  private static final String LONG = "l" + "o".repeat(60) + "ng";

  @Property(tries = 300, seed = "20261121", shrinking = ShrinkingMode.OFF)
  @Tag("slow")
  void generatedFormsAreLaidOutAsGoogleJavaFormatDoes(@ForAll("sources") String source) {
    String broken = LongLines.broken(source);

    assertThat(broken).isEqualTo(Oracle.formatted(broken)).isEqualTo(Oracle.formatted(source));
    assertThat(LongLines.broken(broken)).isEqualTo(broken);
  }

  @Provide
  Arbitrary<String> sources() {
    return Arbitraries.randomValue(random -> new RandomSource(random).compilationUnit());
  }

  @Test
  void theSourcesOfThisModuleStayAsTheyAre() {
    List<String> sources = sources(Path.of("src", "main", "java"));

    assertThat(sources).hasSizeGreaterThan(10);
    assertThat(sources).allSatisfy(s -> assertThat(LongLines.broken(s)).isEqualTo(s));
  }

  @Test
  void linesThatFitStayAsTheyAre() {
    String source = "class C {\n  int a  =  1;\n  enum E { A, B }\n}\n";

    assertThat(LongLines.broken(source)).isEqualTo(source);
  }

  @Test
  void eachFormHasItsLines() {
    assertBroken(
        "private final Map<String, List<" + LONG + ">> theNameOfTheFieldThatIsLong;",
        "private final Map<String, List<" + LONG + ">>",
        "    theNameOfTheFieldThatIsLong;");
    assertBroken(
        "this.name = Objects.requireNonNull(" + LONG + ", \"the name, that is\");",
        "this.name =",
        "    Objects.requireNonNull(",
        "        " + LONG + ", \"the name, that is\");");
    assertBroken(
        "return X.builder().city(JsonValue.or(body.get(\"" + LONG + "\").string(), \"\")).build();",
        "return X.builder()",
        "    .city(",
        "        JsonValue.or(",
        "            body.get(\"" + LONG + "\")",
        "                .string(),",
        "            \"\"))",
        "    .build();");
    assertBroken(
        "return a.equals(b) && " + LONG + ".equals(c) && thirdOne.equals(theOther);",
        "return a.equals(b)",
        "    && " + LONG + ".equals(c)",
        "    && thirdOne.equals(theOther);");
  }

  @Test
  void linksThatStandOnLinesOfTheirOwnAreReadAsOneStatement() {
    assertBroken(
        "return X.builder()\n        .name("
            + LONG
            + ", second, theThird, fourth)\n        .build();",
        "return X.builder()",
        "    .name(",
        "        " + LONG + ",",
        "        second,",
        "        theThird,",
        "        fourth)",
        "    .build();");
  }

  @Test
  void stringsCharactersAndCommentsAreNotCode() {
    String quoted = "\"a \\\"; // { ( \\\\\"";
    assertBroken(
        "call(" + quoted + ", '\"', '\\'', " + LONG + ");",
        "call(",
        "    " + quoted + ",",
        "    '\"',",
        "    '\\'',",
        "    " + LONG + ");");
    String comment =
        "    // " + "call(a, b); ".repeat(12) + "\n    /* " + "{ ( ".repeat(30) + "*/\n";
    assertThat(LongLines.broken(comment)).isEqualTo(comment);
    String commented = "    call(a, // one\n        " + LONG + ");\n";
    assertThat(LongLines.broken(commented)).isEqualTo(commented);
    String block = "    call(\"\"\"\n        " + "call(a, b); ".repeat(12) + "\n        \"\"\");\n";
    assertThat(LongLines.broken(block)).isEqualTo(block);
  }

  @Test
  void formsThatAreNotKnownAreBrokenOutsideOfBrackets() {
    String source =
        "class C {\n  void m() {\n    "
            + LONG
            + "(first, (second, third) -> {\n      call();\n    }, last);\n"
            + "    int[] all = {"
            + "1234567890, ".repeat(12)
            + "1};\n  }\n}\n";

    String broken = LongLines.broken(source);

    assertThat(broken.lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    assertThat(broken.replaceAll("\\s", "")).isEqualTo(source.replaceAll("\\s", ""));
  }

  @Test
  void whatHasNoPlaceToBreakStaysLong() {
    String source = "    return \"" + "x".repeat(120) + "\";\n";

    assertThat(LongLines.broken(source)).isEqualTo(source);
  }

  @Test
  void nestingThatNobodyWritesIsLeftToTheFallback() {
    String source = "    call(" + "f(".repeat(20_000) + ")".repeat(20_000) + ");\n";

    assertThat(LongLines.broken(source).replaceAll("\\s", ""))
        .isEqualTo(source.replaceAll("\\s", ""));
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // Else it never ends.
  void callsAndLambdasThatAreNestedDeepTakeNoLongerThanOthers() {
    String calls = "f(a + ".repeat(60) + "b" + ")".repeat(60);
    String lambdas = "json";
    for (int depth = 1; depth <= 60; depth++) {
      lambdas += ".list(item -> new Of(item)";
    }
    for (String nested : List.of(calls, lambdas + ")".repeat(60))) {
      String source = "class C {\n  void m() {\n    return " + nested + ";\n  }\n}\n";

      String broken = LongLines.broken(source);

      assertThat(broken).isNotEqualTo(source).isEqualTo(LongLines.broken(broken));
      assertThat(broken.replaceAll("\\s", "")).isEqualTo(source.replaceAll("\\s", ""));
    }
  }

  private static void assertBroken(String statement, String... lines) {
    String indented = "    " + String.join("\n    ", lines) + "\n";
    assertThat(LongLines.broken("    " + statement + "\n")).isEqualTo(indented);
  }

  private static List<String> sources(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(f -> f.toString().endsWith(".java")).map(LongLinesTest::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
