package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A native image of GraalVM contains only those resources of a library that its metadata names. */
class NativeImageTest {
  private static final Pattern GLOB = Pattern.compile("\"glob\"\\s*:\\s*\"([^\"]+)\"");

  @ParameterizedTest
  @ValueSource(strings = {"policy", "device"})
  void theMetadataNamesEveryResourceOfTheLibrary(String module) throws IOException {
    Path resources = CookbookTest.ROOT.resolve(module).resolve("src/main/resources");
    Path metadata =
        resources.resolve(
            "META-INF/native-image/dev.reprise/reprise-" + module + "/reachability-metadata.json");
    List<String> named =
        GLOB.matcher(Files.readString(metadata)).results().map(found -> found.group(1)).toList();

    TreeSet<String> present = new TreeSet<>();
    try (Stream<Path> files = Files.walk(resources.resolve("dev"))) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> present.add(resources.relativize(file).toString().replace('\\', '/')));
    }
    assertThat(named).containsExactlyInAnyOrderElementsOf(present);
  }
}
