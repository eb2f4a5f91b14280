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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./test}, in a checkout whose Maven and JDKs only say what they are told. */
@Tag("slow")
class SuiteScriptTest {
  private static final List<String> TOOLS =
      List.of(
          "nginx",
          "squid",
          "postfix",
          "rabbitmq-server",
          "dnsmasq",
          "mosquitto",
          "python3",
          "pip3",
          "node",
          "chromedriver",
          "cc");
  private static final String PASSING = "tests 3 'Failures: 0, Errors: 0, Skipped: 0'\n";

  @TempDir private Path root;

  private record Run(int exitCode, String out) {
    String summary() {
      return out.lines().reduce((before, last) -> last).orElse("");
    }
  }

  @BeforeEach
  void layOut() throws IOException {
    for (String file :
        List.of("test", ".mvn/maven.sh", "testkit/suite/graph.sh", "testkit/suite/jobs.sh")) {
      copy(file);
    }
    copy("testkit/suite/report.sh");
    for (String tool : TOOLS) {
      script("bin/" + tool, "exit 0");
    }
    for (String major : List.of("17", "25")) {
      script("jdk" + major + "/bin/javac", "exit 0");
      script("jdk" + major + "/bin/java", "echo 'openjdk version \"" + major + ".0.1\"' >&2");
      write("jdk" + major + "/release", "JAVA_VERSION=\"" + major + ".0.1\"\n");
    }
    write(
        "pom.xml",
        """
        <version>1</version>
        <module>testkit/suite</module>
        <module>low</module>
        <module>high</module>
        <module>apart</module>
        <module>examples/cookbook</module>
        """);
    module("testkit/suite", "suite");
    module("low", "low");
    module("high", "high", "low");
    module("apart", "apart");
    module("examples/cookbook", "cookbook");
    write(
        "testkit/suite/modules",
        """
        # module job forks seconds again why
        testkit/suite     - 1 1 - run_by_the_build
        low               a 1 9 * the_JDK
        high              b 1 5 HighPathTest one_path
        apart             c 1 2 - arithmetic
        examples/cookbook d 1 1 - texts
        """);
  }

  @Test
  void whatIsBuiltOnceIsTestedOnBothJdks() throws Exception {
    maven(PASSING);

    Run run = run("-Dcolour=blue");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.summary()).isEqualTo("18 passed, 0 failed, 0 skipped");
    assertThat(calls("17 verify")).singleElement().asString().contains("-DskipTests", "-Pall");
    assertThat(calls("17 surefire"))
        .hasSize(4)
        .allMatch(call -> call.contains(" -o ") && call.contains("-Dcolour=blue"))
        .noneMatch(call -> call.contains("-Dtest="));
    assertThat(calls("25 surefire"))
        .hasSize(2)
        .anyMatch(call -> call.contains("-pl low ") && !call.contains("-Dtest="))
        .anyMatch(call -> call.contains("-pl high ") && call.contains("-Dtest=HighPathTest"));
  }

  @Test
  void whatOnlyTheSecondCompilerWarnsOfFails() throws Exception {
    maven(
        "[ $goal != test-compile ] || { echo '[WARNING] /A.java: [this-escape]'; exit 1; }\n"
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("FAILED on JDK 25", "/A.java: [this-escape]");
    assertThat(calls("25 test-compile")).singleElement().asString().contains("-Dfast=lints");
  }

  @Test
  void aDefaultJdk25RunsEverythingOnce() throws Exception {
    maven(PASSING);

    Run run = run(Map.of("JAVA_HOME", root.resolve("jdk25").toString()));

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.summary()).isEqualTo("12 passed, 0 failed, 0 skipped");
    assertThat(run.out()).doesNotContain("NOT RUN");
  }

  @Test
  void chosenModulesAreTestedAndThoseBelowThemBuilt() throws Exception {
    maven(PASSING);

    Run run = run("-pl", "high", "-Dtest=OneTest");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(calls("17 verify"))
        .singleElement()
        .asString()
        .contains("-pl testkit/suite,high -am");
    assertThat(calls("17 surefire")).singleElement().asString().contains("-pl high ");
    assertThat(calls("25 surefire"))
        .singleElement()
        .asString()
        .contains("-Dtest=OneTest")
        .doesNotContain("HighPathTest");
  }

  @Test
  void whatDoesNotExistIsNamed() throws Exception {
    maven(PASSING);

    assertThat(run("-pl", "nowhere").out()).contains("-pl nowhere: there is no such module");
    assertThat(run("--chnaged").out()).contains("there is no option --chnaged");
    write("testkit/suite/modules", "low a 1 9 * x\n");
    assertThat(run().out()).contains("name different modules", "high");
    assertThat(root.resolve("calls")).doesNotExist();
  }

  @Test
  void aChangeIsTestedWithOnePathOfWhatUsesIt() throws Exception {
    write(".gitignore", "target-suite/\nbin/\njdk*/\nrepository/\ncalls\nout\n");
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "first");
    maven(PASSING);

    Run nothing = run("--changed");
    assertThat(nothing.exitCode()).as(nothing.out()).isZero();
    assertThat(nothing.out()).contains("nothing differs from HEAD");

    write("low/src/main/java/New.java", "class New {}");
    Run run = run("--changed");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out())
        .contains(
            "differs from HEAD: low examples/cookbook",
            "one path of what uses them: high",
            "LEFT OUT, since nothing in it or below it differs: testkit/suite apart");
    assertThat(calls("17 surefire"))
        .hasSize(3)
        .anyMatch(call -> call.contains("-pl high ") && call.contains("-Dtest=HighPathTest"));
  }

  @Test
  void onlyTheFirstMavenIsOnline() throws Exception {
    maven(PASSING);

    run();
    run();

    assertThat(calls("17 verify"))
        .satisfiesExactly(
            first -> assertThat(first).doesNotContain(" -o "),
            second -> assertThat(second).contains(" -o "));
    write("low/pom.xml", Files.readString(root.resolve("low/pom.xml")) + "<!-- more -->\n");
    run();
    assertThat(calls("17 verify").get(2)).doesNotContain(" -o ");
  }

  @Test
  void aTransferThatFailsIsTriedThreeTimes() throws Exception {
    maven(
        """
        if [ $goal = verify ]; then
          echo '[ERROR] Could not transfer artifact a:b:jar:1 from/to central'
          [ $(grep -c verify "$root/calls") -ge 3 ] || exit 1
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(calls("17 verify")).hasSize(3);
    assertThat(run.out()).contains("try 2 of 3 to fetch failed");
  }

  @Test
  void aFullDiskIsNamedAndNotTriedAgain() throws Exception {
    maven("[ $goal != verify ] || { echo '[ERROR] No space left on device'; exit 1; }\n");

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(calls("17 verify")).hasSize(1);
    assertThat(run.out()).contains("no space left on the disk");
  }

  @Test
  void damagedArtifactsAreFetchedAgain() throws Exception {
    Path whole = write("repository/a/whole-1.jar", "abc");
    write("repository/a/whole-1.jar.sha1", "a9993e364706816aba3e25717850c26c9cd0d89d");
    maven(PASSING);
    assertThat(run().out()).doesNotContain("damaged");

    Path cut = write("repository/a/cut-1.jar", "ab");
    write("repository/a/cut-1.jar.sha1", "a9993e364706816aba3e25717850c26c9cd0d89d");
    Path empty = write("repository/a/empty-1.jar", "");
    Run run = run();

    assertThat(run.out()).contains("2 damaged in Maven's local repository, fetched again");
    assertThat(whole).exists();
    assertThat(cut).doesNotExist();
    assertThat(empty).doesNotExist();
    assertThat(calls("17 verify")).noneMatch(call -> call.contains(" -o "));
  }

  @Test
  void aModuleThatIsNotBuiltIsNotTested() throws Exception {
    maven(
        """
        if [ $goal = verify ]; then
          echo '12:00:00 [INFO] --- spotless-maven-plugin:1:check (default) @ reprise-suite ---'
          echo '12:00:00 [INFO] --- spotless-maven-plugin:1:check (default) @ reprise-apart ---'
          echo '[ERROR] COMPILATION ERROR'
          exit 1
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("FAILED: the build", "COMPILATION ERROR", "NOT TESTED, since not built: ")
        .contains("3 passed, 0 failed");
  }

  @Test
  void aFailureOnEitherJdkIsNamedWithItsCommand() throws Exception {
    for (String jdk : List.of("17", "25")) {
      maven(
          """
          if [ $goal = surefire ] && [ $jdk = JDK ] && [ $modules = low ]; then
            report a.BadTest breaks failure
            echo 'the seed was 7' >$reports/a.BadTest-output.txt
            tests 2 'Failures: 1, Errors: 0, Skipped: 0'
            exit 1
          fi
          """
                  .replace("JDK", jdk)
              + PASSING);

      Run run = run();

      assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
      assertThat(run.summary()).isEqualTo("16 passed, 1 failed, 0 skipped");
      assertThat(run.out())
          .contains("the seed was 7", "JDK " + jdk + "  a.BadTest.breaks")
          .contains("./test -pl low -Dtest=BadTest#breaks");
    }
  }

  @Test
  void whatPassesWhenRunAgainIsNamedAndAtMostTwice() throws Exception {
    maven(
        """
        if [ $goal = surefire ] && [ $modules = apart ]; then
          report a.OneTest steady system-out
          report a.OneTest shaky flakyFailure
        fi
        """
            + PASSING);

    Run once = run();

    assertThat(once.exitCode()).as(once.out()).isZero();
    assertThat(once.out())
        .contains("PASSED ONLY WHEN RUN AGAIN: 1.", "-Dtest=OneTest#shaky")
        .doesNotContain("steady");

    maven(
        """
        if [ $goal = surefire ] && [ $modules = apart ]; then
          for test in a b c; do report a.TwoTest $test flakyError; done
        fi
        """
            + PASSING);

    Run more = run();

    assertThat(more.exitCode()).isEqualTo(1);
    assertThat(more.out()).contains("FAILED: more than 2 of them");
  }

  @Test
  void skippedTestsFailWithCi() throws Exception {
    maven("[ $jdk = 17 ] || tests 2 'Failures: 0, Errors: 0, Skipped: 1'\n" + PASSING);

    Run alone = run();

    assertThat(alone.exitCode()).as(alone.out()).isZero();
    assertThat(alone.summary()).isEqualTo("20 passed, 0 failed, 2 skipped");
    Run ci = run(Map.of("CI", "true"));
    assertThat(ci.exitCode()).isEqualTo(1);
    assertThat(ci.out()).contains("FAILED: 2 skipped tests, and CI=true allows none");
  }

  @Test
  void aStackTraceBesidePassingTestsFails() throws Exception {
    maven(PASSING + "[ $jdk = 17 ] || printf '\\tat a.B.c(B.java:1)\\n'");

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(run.out()).contains("yet a stack trace was printed");
  }

  @Test
  void aRunWithoutTestsFails() throws Exception {
    maven("");

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("FAILED: no test ran");
  }

  @Test
  void theDearestClassesAreShown() throws Exception {
    maven("[ -z \"$times\" ] || printf 'a.SlowTest\\t61500\\t2000\\t500\\n' >>$times\n" + PASSING);

    Run run = run("--times");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out().lines())
        .anyMatch(line -> line.matches(" +61\\.5 +2\\.0 +0\\.5 +a\\.SlowTest"));
  }

  private void copy(String file) throws IOException {
    Path target = root.resolve(file);
    Files.createDirectories(target.getParent());
    Files.copy(CookbookTest.ROOT.resolve(file), target);
  }

  private void module(String folder, String name, String... known) throws IOException {
    StringBuilder pom =
        new StringBuilder("<parent>\n<artifactId>reprise</artifactId>\n</parent>\n")
            .append("<artifactId>reprise-" + name + "</artifactId>\n");
    for (String other : known) {
      pom.append(
          "<groupId>dev.reprise</groupId>\n<artifactId>reprise-" + other + "</artifactId>\n");
    }
    write(folder + "/pom.xml", pom.toString());
  }

  private Path write(String file, String content) throws IOException {
    Path target = root.resolve(file);
    Files.createDirectories(target.getParent());
    return Files.writeString(target, content);
  }

  /** The calls of Maven that begin so: the JDK of its tests, its goal, its words. */
  private List<String> calls(String beginning) throws IOException {
    return Files.readAllLines(root.resolve("calls")).stream()
        .filter(call -> call.startsWith(beginning))
        .toList();
  }

  /**
   * A Maven that does this, and knows {@code $jdk}, {@code $goal}, {@code $modules}, {@code
   * $times}.
   */
  private void maven(String body) throws IOException {
    Files.deleteIfExists(root.resolve("calls"));
    script(
        "bin/mvn",
        """
        root=ROOT jdk=${JAVA_HOME##*jdk} goal='' modules='' times='' previous=''
        for word; do
          case $word in
            -Djvm=*) jdk=25 ;;
            verify | test-compile | surefire:*) goal=${word%%:*} ;;
            -Dreprise.test.times=*) times=${word#*=} ;;
          esac
          [ "$previous" != -pl ] || modules=$word
          previous=$word
        done
        echo "$jdk $goal $* " >>"$root/calls"
        reports=$root/$modules/target-suite/surefire-reports
        [ $jdk = ${JAVA_HOME##*jdk} ] || reports=$reports-jdk25
        report() {
          mkdir -p $reports
          printf '<testcase name="%s" classname="%s" time="1">\\n  <%s message=""/>\\n</testcase>\\n' \
            "$2" $1 "$3" >>$reports/TEST-$1.xml
        }
        tests() { [ $goal != surefire ] || echo "[INFO] Tests run: $1, $2"; }
        BODY
        if [ $goal = verify ]; then
          for name in suite low high apart cookbook; do
            echo "12:00:00 [INFO] --- spotless-maven-plugin:1:check (default) @ reprise-$name ---"
          done
        fi
        """
            .replace("ROOT", root.toString())
            .replace("BODY", body.strip()));
  }

  private void script(String name, String body) throws IOException {
    assertThat(write(name, "#!/usr/bin/env bash\n" + body).toFile().setExecutable(true)).isTrue();
  }

  private void git(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("git").directory(root.toFile());
    builder.command().addAll(List.of(words));
    assertThat(builder.start().waitFor()).isZero();
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
    builder.environment().put("MAVEN_OPTS", "-Dmaven.repo.local=" + root.resolve("repository"));
    builder.environment().remove("CI");
    builder.environment().merge("PATH", root.resolve("bin") + ":", (path, bin) -> bin + path);
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Run(process.exitValue(), Files.readString(out, UTF_8));
  }
}
