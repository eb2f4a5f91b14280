package dev.reprise.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./test}, in a checkout whose Maven and JDKs only say what they are told. */
class SuiteScriptTest {
  private static final List<String> TOOLS =
      List.of("nginx", "dnsmasq", "mosquitto", "python3", "pip3", "node", "cc");
  private static final String PASSING =
      """
      tests 3 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.FirstTest'
      tests 3 'Failures: 0, Errors: 0, Skipped: 0'
      """;

  @TempDir private Path root;

  private record Run(int exitCode, String out) {
    String summary() {
      return out.lines().reduce((before, last) -> last).orElse("");
    }
  }

  @BeforeEach
  void layOut() throws IOException {
    Files.copy(CookbookTest.ROOT.resolve("test"), root.resolve("test"));
    for (String tool : TOOLS) {
      script("bin/" + tool, "exit 0");
    }
    for (String major : List.of("17", "25")) {
      script("jdk" + major + "/bin/javac", "exit 0");
      Files.writeString(
          root.resolve("jdk" + major + "/release"), "JAVA_VERSION=\"" + major + ".0.1\"\n");
    }
  }

  @Test
  void bothJdksAreSummedAndGetTheArguments() throws Exception {
    maven(PASSING + "echo \"$*\" >>calls-$jdk");

    Run run = run("-pl", "core,policy", "-am");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.summary()).isEqualTo("6 passed, 0 failed, 0 skipped");
    assertThat(root.resolve("calls-17"))
        .content()
        .contains("-Pall", "clean verify -pl core,policy -am")
        .doesNotContain("excluded.tags", "fast");
    assertThat(root.resolve("calls-25"))
        .content()
        .contains(
            "-Pall", "-Dexcluded.tags=one-jdk", "-Dfast=lints", "-Dtarget.dir=target-jdk25", "-am");
  }

  @Test
  void aDefaultJdk25LeavesNothingOut() throws Exception {
    maven(PASSING + "echo \"$*\" >>calls-$jdk");

    Run run = run(Map.of("JAVA_HOME", root.resolve("jdk25").toString()));

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.summary()).isEqualTo("3 passed, 0 failed, 0 skipped");
    assertThat(root.resolve("calls-25")).content().doesNotContain("excluded.tags", "fast");
  }

  @Test
  void whatRanOnOneJdkOnlyIsCountedAndNamed() throws Exception {
    tagged("SimulationTest");
    tagged("PartlyTest");
    maven(
        """
        if [ $jdk = 17 ]; then
          tests 2 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 9 s -- in a.SimulationTest'
          tests 4 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 9 s -- in a.PartlyTest'
        else
          tests 1 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in a.PartlyTest'
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out())
        .contains(
            """
            == LEFT OUT on JDK 25: 5 tests that ran on JDK 17:
            3 a.PartlyTest
            2 a.SimulationTest
            """);
  }

  @Test
  void whatIsMissingOnOneJdkMustBeTagged() throws Exception {
    tagged("OtherTest");
    maven(
        """
        [ $jdk = 25 ] ||
          tests 2 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 9 s -- in a.ForgottenTest'
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("FAILED: 2 tests of a.ForgottenTest did not run on JDK 25")
        .doesNotContain("FAILED: 2 tests of a.OtherTest");
  }

  @Test
  void aFailureOnEitherJdkIsOneOfTheSuite() throws Exception {
    for (String jdk : List.of("17", "25")) {
      maven(
          """
          if [ $jdk = BAD ]; then
            mkdir -p a/$target/surefire-reports
            echo 'the seed was 7' >a/$target/surefire-reports/a.BadTest-output.txt
            echo '[ERROR] Tests run: 2, Failures: 1 <<< FAILURE! -- in a.BadTest'
            tests 2 'Failures: 1, Errors: 0, Skipped: 0'
            exit 1
          fi
          """
                  .replace("BAD", jdk)
              + PASSING);

      Run run = run();

      assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
      assertThat(run.summary()).isEqualTo("4 passed, 1 failed, 0 skipped");
      assertThat(run.out()).contains("the seed was 7");
    }
  }

  @Test
  void whatPassesWhenRunAgainIsNamedAndAtMostTwice() throws Exception {
    String flaky =
        """
        report() {
          mkdir -p $1/$target/surefire-reports
          printf '<testcase name="%s" classname="%s" time="1">\\n  <%s message=""/>\\n</testcase>\\n' \
            "$2" $1.OneTest "$3" >>$1/$target/surefire-reports/TEST-$1.OneTest.xml
        }
        report a steady system-out; report a shaky flakyFailure
        """
            + PASSING;
    maven(flaky);

    Run twice = run();

    assertThat(twice.exitCode()).as(twice.out()).isZero();
    assertThat(twice.out())
        .contains("PASSED ONLY WHEN RUN AGAIN: 2.", "\na.OneTest.shaky\na.OneTest.shaky\n")
        .doesNotContain("steady");

    maven(flaky + "report b tired flakyError");

    Run more = run();

    assertThat(more.exitCode()).isEqualTo(1);
    assertThat(more.out()).contains("b.OneTest.tired\n", "FAILED: more than 2 of them");
  }

  @Test
  void aTestThatIsRunAgainIsNotMissingOnTheOtherJdk() throws Exception {
    maven(
        """
        if [ $jdk = 17 ]; then
          mkdir -p a/$target/surefire-reports
          printf '<testcase name="shaky" classname="a.FirstTest">\n  <flakyFailure/>\n</testcase>\n' \
            >a/$target/surefire-reports/TEST-a.FirstTest.xml
          tests 1 'Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.FirstTest'
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out())
        .contains("PASSED ONLY WHEN RUN AGAIN: 1.", "\na.FirstTest.shaky\n")
        .doesNotContain("LEFT OUT");
  }

  @Test
  void reportsOfAnEarlierRunDoNotCount() throws Exception {
    Path report = root.resolve("a/target/surefire-reports/TEST-a.OneTest.xml");
    Files.createDirectories(report.getParent());
    Files.writeString(report, "<testcase name=\"x\" classname=\"a.OneTest\">\n<flakyFailure/>\n");
    assertThat(report.toFile().setLastModified(0)).isTrue();
    maven(PASSING);

    assertThat(run().out()).doesNotContain("RUN AGAIN");
  }

  @Test
  void skippedTestsFailWithCi() throws Exception {
    maven(PASSING + "[ $jdk = 17 ] || tests 2 'Failures: 0, Errors: 0, Skipped: 1'");

    Run alone = run();

    assertThat(alone.exitCode()).as(alone.out()).isZero();
    assertThat(alone.summary()).isEqualTo("7 passed, 0 failed, 1 skipped");
    Run ci = run(Map.of("CI", "true"));
    assertThat(ci.exitCode()).isEqualTo(1);
    assertThat(ci.out()).contains("FAILED: 1 skipped tests, and CI=true allows none");
  }

  @Test
  void aStackTraceBesidePassingTestsFails() throws Exception {
    for (String jdk : List.of("17", "25")) {
      maven(PASSING + "[ $jdk = " + jdk + " ] && printf '\\tat a.B.c(B.java:1)\\n'; exit 0");

      Run run = run();

      assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
      assertThat(run.out()).contains("yet a stack trace was printed");
    }
  }

  @Test
  void aRunWithoutTestsFails() throws Exception {
    maven("");

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("FAILED: no test ran");
  }

  private void tagged(String testClass) throws IOException {
    Path source = root.resolve("module/src/test/java/a/" + testClass + ".java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "@Tag(\"one-jdk\")\n");
  }

  /** A Maven that does this, and knows {@code $jdk} and {@code $target}. */
  private void maven(String body) throws IOException {
    script(
        "bin/mvn",
        """
        jdk=${JAVA_HOME##*jdk} target=target
        for word; do case $word in -Dtarget.dir=*) target=${word#*=} ;; esac; done
        tests() { echo "[INFO] Tests run: $1, $2"; }
        """
            + body);
  }

  private void script(String name, String body) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/usr/bin/env bash\n" + body);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Run run(String... arguments) throws Exception {
    return run(Map.of(), arguments);
  }

  private Run run(Map<String, String> environment, String... arguments) throws Exception {
    Path out = root.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder("bash", root.resolve("test").toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("JAVA_HOME", root.resolve("jdk17").toString());
    builder.environment().put("JAVA_25_HOME", root.resolve("jdk25").toString());
    builder.environment().remove("CI");
    builder.environment().merge("PATH", root.resolve("bin") + ":", (path, bin) -> bin + path);
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Run(process.exitValue(), Files.readString(out, UTF_8));
  }
}
