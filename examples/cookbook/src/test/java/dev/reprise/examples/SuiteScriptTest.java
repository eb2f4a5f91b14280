package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The script {@code ./test}, in a checkout whose Maven and JDKs only say what they are told. */
@Tag("slow")
class SuiteScriptTest extends ScriptedCheckout {
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
  void theCheckersAreLoadedOnceForAllModules() throws Exception {
    append("pom.xml", "<module>cli</module>\n<module>service/dist</module>\n");
    module("cli", "cli", "low");
    module("service/dist", "dist", "cli");
    append("testkit/suite/modules", "cli e 1 1 - one_path\nservice/dist f 1 1 - the_runtime\n");
    script("jdk17/bin/jar", "for word; do case $word in */agent.jar) touch $word ;; esac; done");
    maven(
        """
        case " $* " in *' -X '*) echo "[DEBUG] -d out -processorpath $root/a.jar:$root/b.jar: -g" ;; esac
        if [ $goal = verify ]; then
          [ "$modules" = service/dist ] || echo "$MAVEN_OPTS" >$root/options
          echo "12:00:00 [INFO] --- spotless-maven-plugin:1:check (default) @ reprise-cli ---"
        fi
        """
            + PASSING);
    write("a.jar", "a");

    assertThat(run().exitCode()).isZero();
    assertThat(Files.readString(root.resolve("options")))
        .as("one of them is not there")
        .doesNotContain("javaagent");

    write("b.jar", "b");
    assertThat(run().exitCode()).isZero();
    assertThat(Files.readString(root.resolve("options")))
        .containsPattern("-javaagent:(target-suite/checkers-\\w+)/agent.jar=\\1/path");
    assertThat(calls("17  ")).as("asked once for a pom.xml").hasSize(1);

    try (Stream<Path> files = Files.walk(root.resolve("target-suite"))) {
      for (Path each : files.filter(file -> file.endsWith("agent.jar")).toList()) {
        Files.delete(each);
      }
    }
    assertThat(run().exitCode()).isZero();
    assertThat(calls("17  ").get(1))
        .contains(" -o ", " -pl testkit/suite ")
        .doesNotContain("!service/dist");
    assertThat(Files.readString(root.resolve("options"))).contains("javaagent");
  }

  /** Surefire removes its temporary folder at the end, also from under another Maven. */
  @Test
  void twoJobsOfOneModuleHaveNoFolderInCommon() throws Exception {
    maven(PASSING);

    assertThat(run().exitCode()).isZero();

    List<String> calls = new ArrayList<>(calls("17 surefire"));
    calls.addAll(calls("25 surefire"));
    assertThat(calls)
        .extracting(call -> call.replaceFirst(".* -DtempDir=(\\S+).*", "$1"))
        .hasSize(6)
        .allMatch(folder -> folder.startsWith("surefire-"))
        .doesNotHaveDuplicates();
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
        .contains("-pl testkit/suite,high -am", "-Dsurefire.failIfNoSpecifiedTests=false");
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
  void ofALargeModuleAChangeRunsWhatIsQuickAndWhatNamesIt() throws Exception {
    write(".gitignore", "target-suite/\nbin/\njdk*/\nrepository/\ncalls\nout\n");
    Path modules = root.resolve("testkit/suite/modules");
    Files.writeString(modules, Files.readString(modules).replace("b 1 5", "b 2 130"));
    String tests = "high/src/test/java/high/";
    for (String test : List.of("NamedTest", "OtherTest", "PagesTest", "QuickTest")) {
      String text = test.equals("NamedTest") ? "Gate" : test.equals("PagesTest") ? "console" : "";
      String tag = test.equals("QuickTest") ? "" : "@Tag(\"slow\")\n";
      write(tests + test + ".java", tag + "class " + test + " { Gateway it; " + text + " i; }");
    }
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "first");
    maven(PASSING);

    write("high/src/main/java/high/Gate.java", "class Gate {}");
    Run run = run("--changed");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out())
        .contains("LEFT OUT of high: its slow tests but HighPathTest NamedTest; ./test -pl high")
        .doesNotContain("syntax error");
    assertThat(calls("17 surefire"))
        .hasSize(3)
        .anyMatch(
            call ->
                call.contains("-pl high ")
                    && call.contains("-Dexcluded.tags=slow")
                    && call.contains("-Dtest.forks=2")
                    && !call.contains("-Dtest="))
        .anyMatch(call -> call.contains("-Dtest=HighPathTest,NamedTest "));
    assertThat(calls("25 surefire")).singleElement().asString().contains("-Dtest=HighPathTest ");

    write("high/src/main/resources/high/console/pages/keys.js", "");
    assertThat(run("--changed").out()).contains("but HighPathTest NamedTest PagesTest;");
    write(tests + "OtherTest.java", "@Tag(\"slow\")\nclass OtherTest {}");
    assertThat(run("--changed").out()).contains("but HighPathTest NamedTest OtherTest PagesTest;");
  }

  @Test
  void aModuleThatFailsStopsNoOtherOfItsJob() throws Exception {
    maven(
        """
        if [ $goal = surefire ] && [ $modules = low ]; then
          echo '[INFO] Build failures were ignored.'
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(calls("17 surefire")).allMatch(call -> call.contains(" -fn "));
    assertThat(run.out()).contains("FAILED on JDK 17, and no test says so: low");
  }

  @Test
  void theArchiveIsNotBuiltByTwoMavensAtOnce() throws Exception {
    append("pom.xml", "<module>cli</module>\n<module>service/dist</module>\n");
    module("cli", "cli", "low");
    module("service/dist", "dist", "cli");
    append("testkit/suite/modules", "cli e 1 1 - one_path\nservice/dist f 1 1 - the_runtime\n");
    maven(
        """
        if [ "$modules" = service/dist ]; then
          [ -e $root/built ] || echo '[INFO] Build failures were ignored.'
        elif [ $goal = verify ]; then
          for name in suite cli; do
            echo "12:00:00 [INFO] --- spotless-maven-plugin:1:check (default) @ reprise-$name ---"
          done
          # All that the job needs is built, and the build is not through.
          sleep 2
          touch $root/built
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(calls("17 verify")).anyMatch(call -> call.contains("-pl service/dist "));
  }

  @Test
  void aSuiteThatIsEndedEndsItsMavens() throws Exception {
    maven("echo $$ >>$root/pids; [ $goal != verify ] || { while :; do sleep 0.1; done; }");
    Process suite = start("test", Map.of());
    awaitMaven(suite);

    suite.destroy();

    assertMavensEnd(suite);
  }

  @Test
  void aSuiteWhoseFolderIsRemovedEnds() throws Exception {
    maven("echo $$ >>$root/pids; [ $goal != verify ] || { while :; do sleep 0.1; done; }");
    Process suite = start("test", Map.of());
    awaitMaven(suite);

    assertThat(root.resolve("target-suite").toFile().renameTo(root.resolve("gone").toFile()))
        .isTrue();

    assertMavensEnd(suite);
    assertThat(suite.exitValue()).isEqualTo(1);
    assertThat(Files.readString(root.resolve("out")))
        .contains("target-suite was removed while the tests ran");
  }

  /** Maven 3.9 names a plugin by its prefix, where 3.8 has its artifact. */
  @Test
  void aNewerMavenIsUnderstood() throws Exception {
    maven(PASSING);
    Path maven = root.resolve("bin/mvn");
    String older = Files.readString(maven);
    Files.writeString(maven, older.replace("spotless-maven-plugin:1:", "spotless:1:"));

    Run run = run();

    assertThat(Files.readString(maven)).isNotEqualTo(older);
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.summary()).isEqualTo("18 passed, 0 failed, 0 skipped");
  }

  private void awaitMaven(Process suite) throws Exception {
    Path pids = root.resolve("pids");
    while (!Files.exists(pids) || Files.readString(pids).isBlank()) {
      assertThat(suite.isAlive()).isTrue();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private void assertMavensEnd(Process suite) throws Exception {
    assertThat(suite.waitFor(5, TimeUnit.MINUTES)).isTrue();
    for (String pid : Files.readAllLines(root.resolve("pids"))) {
      Optional<ProcessHandle> maven = ProcessHandle.of(Long.parseLong(pid));
      if (maven.isPresent()) {
        maven.get().onExit().get(5, TimeUnit.MINUTES);
      }
    }
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
  void whatPassesWhenRunAgainIsNamedAndFails() throws Exception {
    maven(
        """
        if [ $goal = surefire ] && [ $modules = apart ]; then
          report a.OneTest steady system-out
          report a.OneTest shaky flakyFailure
          cat >>$reports/TEST-a.OneTest.xml <<'XML'
        <testcase name="late" classname="a.OneTest"><flakyError message="&#10;of &lt;3>" type="E">
          <stackTrace><![CDATA[E: expected 3 & was 2
          at a.OneTest]]></stackTrace>
        </flakyError></testcase>
        XML
        fi
        """
            + PASSING);

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(run.out())
        .contains("FAILED, AND PASSED WHEN RUN AGAIN: 2.", "-Dtest=OneTest#shaky")
        .contains("late failed:\n      E: expected 3 & was 2\n        at a.OneTest\n")
        .doesNotContain("steady");
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

  /** It takes three times as long then, and nothing else shows it. */
  @Test
  void aMavenThatOnlyInterpretsFails() throws Exception {
    maven(
        PASSING
            + "[ $goal != verify ] || echo '[61.1s][warning][codecache] CodeCache is full. ...'");

    Run run = run();

    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(run.out()).contains("no room left for compiled code", "build.log");
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
}
