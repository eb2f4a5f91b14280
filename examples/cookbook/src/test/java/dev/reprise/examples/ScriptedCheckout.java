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
import org.junit.jupiter.api.io.TempDir;

/**
 * A checkout with the scripts of this one, whose Maven, JDKs and further tools only say what they
 * are told: for tests of {@code ./test} and of the scripts that it reads.
 */
abstract class ScriptedCheckout {
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
  static final String PASSING = "tests 3 'Failures: 0, Errors: 0, Skipped: 0'\n";

  @TempDir Path root;

  record Run(int exitCode, String out) {
    String summary() {
      return out.lines().reduce((before, last) -> last).orElse("");
    }
  }

  @BeforeEach
  void layOut() throws IOException {
    for (String file :
        List.of(
            "test",
            ".mvn/maven.sh",
            "cli/launch.sh",
            "testkit/suite/graph.sh",
            "testkit/suite/jobs.sh")) {
      copy(file);
    }
    copy("testkit/suite/report.sh");
    copy("testkit/suite/src/main/java/dev/reprise/suite/SharedCheckers.java");
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

  private void copy(String file) throws IOException {
    Path target = root.resolve(file);
    Files.createDirectories(target.getParent());
    Files.copy(CookbookTest.ROOT.resolve(file), target);
  }

  void module(String folder, String name, String... known) throws IOException {
    StringBuilder pom =
        new StringBuilder("<parent>\n<artifactId>reprise</artifactId>\n</parent>\n")
            .append("<artifactId>reprise-" + name + "</artifactId>\n");
    for (String other : known) {
      pom.append(
          "<groupId>dev.reprise</groupId>\n<artifactId>reprise-" + other + "</artifactId>\n");
    }
    write(folder + "/pom.xml", pom.toString());
  }

  void append(String file, String content) throws IOException {
    write(file, Files.readString(root.resolve(file)) + content);
  }

  Path write(String file, String content) throws IOException {
    Path target = root.resolve(file);
    Files.createDirectories(target.getParent());
    return Files.writeString(target, content);
  }

  /** The calls of Maven that begin so: the JDK of its tests, its goal, its words. */
  List<String> calls(String beginning) throws IOException {
    return Files.readAllLines(root.resolve("calls")).stream()
        .filter(call -> call.startsWith(beginning))
        .toList();
  }

  /**
   * A Maven that does this, and knows {@code $jdk}, {@code $goal}, {@code $modules}, {@code
   * $times}.
   */
  void maven(String body) throws IOException {
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

  void script(String name, String body) throws IOException {
    assertThat(write(name, "#!/usr/bin/env bash\n" + body).toFile().setExecutable(true)).isTrue();
  }

  void git(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("git").directory(root.toFile());
    builder.command().addAll(List.of(words));
    assertThat(builder.start().waitFor()).isZero();
  }

  Run run(String... arguments) throws Exception {
    return run(Map.of(), arguments);
  }

  Run run(Map<String, String> environment, String... arguments) throws Exception {
    return run("test", environment, arguments);
  }

  Run run(String script, Map<String, String> environment, String... arguments) throws Exception {
    Process process = start(script, environment, arguments);
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return new Run(process.exitValue(), Files.readString(root.resolve("out"), UTF_8));
  }

  Process start(String script, Map<String, String> environment, String... arguments)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", root.resolve(script).toString())
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(root.resolve("out").toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("JAVA_HOME", root.resolve("jdk17").toString());
    builder.environment().put("JAVA_25_HOME", root.resolve("jdk25").toString());
    builder.environment().put("MAVEN_OPTS", "-Dmaven.repo.local=" + root.resolve("repository"));
    builder.environment().remove("CI");
    builder.environment().merge("PATH", root.resolve("bin") + ":", (path, bin) -> bin + path);
    builder.environment().putAll(environment);
    return builder.start();
  }
}
