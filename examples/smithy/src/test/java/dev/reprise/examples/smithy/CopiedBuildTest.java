package dev.reprise.examples.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The two plugins of this module are there to be copied, so they rest on nothing beside them. */
class CopiedBuildTest {
  private static final Path ROOT = Path.of("..", "..");

  private static String plugins() throws Exception {
    String pom = Files.readString(Path.of("pom.xml"));
    return pom.substring(pom.indexOf("<plugins>"), pom.indexOf("</plugins>"));
  }

  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  @Test
  void thePluginsUseNoPropertyButThoseThatEveryProjectHas() throws Exception {
    assertThat(all("\\$\\{([^}]*)}", plugins()))
        .isNotEmpty()
        .isSubsetOf("project.basedir", "project.build.directory");
  }

  @Test
  void everyPluginAndDependencyHasTheVersionOfTheBuild() throws Exception {
    String root = Files.readString(ROOT.resolve("pom.xml"));
    String smithy = all("<smithy.version>(.*)</smithy.version>", root).get(0);
    String ours = all("<artifactId>reprise</artifactId>\\s*<version>(.*)</version>", root).get(0);
    String versioned = "<artifactId>%s</artifactId>\\s*<version>(.*)</version>";

    Map.of("reprise-smithy", ours, "smithy-cli", smithy, "smithy-aws-traits", smithy)
        .forEach(
            (artifact, version) ->
                assertThat(pluginVersion(versioned.formatted(artifact)))
                    .as(artifact)
                    .isEqualTo(version));
    for (String plugin : List.of("exec-maven-plugin", "build-helper-maven-plugin")) {
      assertThat(pluginVersion(versioned.formatted(plugin)))
          .isEqualTo(all(versioned.formatted(plugin), root).get(0));
    }
    assertThat(
            all(
                "dev\\.reprise:reprise-[a-z-]+:([^\"]+)\"",
                Files.readString(ROOT.resolve("smithy/README.md"))))
        .isNotEmpty()
        .containsOnly(ours);
  }

  private static String pluginVersion(String pattern) {
    try {
      return all(pattern, plugins()).get(0);
    } catch (Exception e) {
      throw new AssertionError(pattern, e);
    }
  }
}
