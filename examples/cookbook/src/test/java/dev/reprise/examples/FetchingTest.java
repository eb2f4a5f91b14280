package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fetching by {@code .mvn/maven.sh}, through {@code ./test}, in a checkout whose Maven only says
 * what it is told.
 */
@Tag("slow")
class FetchingTest extends ScriptedCheckout {
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
  void aScriptThatEndsAtTheFirstErrorTriesAgainToo() throws Exception {
    maven("echo '[ERROR] Could not transfer artifact a:b:jar:1 from/to central'; exit 1");
    script("strict", "set -euo pipefail; . .mvn/maven.sh; maven_repository; maven_build a verify");

    Run run = run("strict", Map.of());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(calls("17 verify")).hasSize(3);
  }

  @Test
  void anotherLocalRepositoryIsThatOfTheBuildOnly() throws Exception {
    maven(PASSING);

    run("-Dmaven.repo.local=" + root.resolve("another"));

    assertThat(calls("17 verify"))
        .singleElement()
        .asString()
        .contains("-Dmaven.repo.local=" + root.resolve("another") + " ");
    assertThat(calls("17 surefire")).noneMatch(call -> call.contains("another"));
    assertThat(root.resolve("another/.reprise")).isNotEmptyDirectory();
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
    // Somebody's own build of what had been downloaded before.
    Path installed = write("repository/b/own-1.jar", "ours");
    write("repository/b/own-1.jar.sha1", "a9993e364706816aba3e25717850c26c9cd0d89d");
    write("repository/b/_remote.repositories", "own-1.jar>central=\nown-1.jar>=\n");
    Run run = run();

    assertThat(run.out()).contains("2 damaged in Maven's local repository, fetched again");
    assertThat(whole).exists();
    assertThat(cut).doesNotExist();
    assertThat(empty).doesNotExist();
    assertThat(installed).exists();
    assertThat(calls("17 verify")).noneMatch(call -> call.contains(" -o "));
  }
}
