package dev.reprise.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files of the archive. */
@Tag("slow")
class ArchiveTest {
  /** Its natives of other platforms are left out, so it is not as published. */
  private static final String REPACKED = "rocksdbjni-";

  @TempDir static Path folder;
  private static Installation installation;

  @BeforeAll
  static void unpack() throws Exception {
    installation = Installation.in(folder);
  }

  @Test
  void theListOfLibrariesIsThatOfTheFolder() throws Exception {
    Map<String, JsonNode> listed = new TreeMap<>();
    for (JsonNode component : sbom().get("components")) {
      listed.put(jar(component), component);
    }

    assertThat(listed.keySet()).isEqualTo(jars().keySet());
  }

  @Test
  void everyLibraryHasALicenceAndThePublishedBytes() throws Exception {
    Map<String, Path> jars = jars();
    for (JsonNode component : sbom().get("components")) {
      String jar = jar(component);
      assertThat(component.path("licenses").size()).as(jar).isPositive();
      if (jar.startsWith(REPACKED)) {
        assertThat(component.has("hashes")).as(jar).isFalse();
      } else {
        assertThat(hash(component)).as(jar).isEqualTo(sha256(jars.get(jar)));
      }
    }
  }

  @Test
  void noLibraryIsThereInTwoVersions() throws Exception {
    assertThat(jars().keySet().stream().map(jar -> jar.replaceAll("-[0-9].*", "")))
        // Jackson 2, whose core reads what Vert.x writes and which Kafka's broker uses; AWS and
        // JetBrains.
        .filteredOn(name -> !name.matches("jackson-(core|databind)|annotations"))
        .doesNotHaveDuplicates();
  }

  @Test
  void hasNothingButWhatIsInstalled() throws Exception {
    try (Stream<Path> files = Files.list(installation.root())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "Containerfile",
              "LICENSE",
              "README.md",
              "grafana",
              "kubernetes",
              "lib",
              "reprise",
              "runtime",
              "sbom.json",
              "systemd");
    }
  }

  @Test
  void onlyProgramsAreExecutableAndNobodyElseMayWrite() throws Exception {
    try (Stream<Path> files = Files.walk(installation.root())) {
      assertThat(
              files
                  .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                  .map(file -> installation.root().relativize(file).toString()))
          .contains("reprise", "runtime/bin/java", "runtime/lib/jspawnhelper")
          .allMatch(file -> file.equals("reprise") || file.startsWith("runtime/"));
    }
    for (String entry : entries()) {
      assertThat(entry).matches("[-dl]\\S{4}[-w]?\\S*.* (?:0/0|root/root) .*");
      assertThat(entry).as("writable by others").matches("l.*|.....-..-.*");
    }
  }

  @Test
  void entriesHaveTheTimeOfTheRelease() throws Exception {
    assertThat(entries()).allMatch(entry -> entry.contains(" 2026-11-21 "));
  }

  private static List<String> entries() throws Exception {
    Path out = folder.resolve("entries");
    ProcessBuilder builder =
        new ProcessBuilder("tar", "-tvzf", Installation.ARCHIVE.toString())
            .redirectOutput(out.toFile());
    builder.environment().put("TZ", "UTC");
    assertThat(builder.start().waitFor()).isZero();
    return Files.readAllLines(out);
  }

  private static JsonNode sbom() {
    return JsonMapper.shared().readTree(installation.file("sbom.json").toFile());
  }

  private static Map<String, Path> jars() throws Exception {
    Map<String, Path> jars = new TreeMap<>();
    try (Stream<Path> files = Files.list(installation.file("lib"))) {
      files
          .filter(file -> file.toString().endsWith(".jar"))
          .forEach(file -> jars.put(file.getFileName().toString(), file));
    }
    return jars;
  }

  /** Returns the file that a component is. */
  private static String jar(JsonNode component) {
    String[] parts = component.get("purl").asString().split("\\?classifier=|&", 3);
    return component.get("name").asString()
        + "-"
        + component.get("version").asString()
        + (parts.length == 3 ? "-" + parts[1] : "")
        + ".jar";
  }

  private static String hash(JsonNode component) {
    for (JsonNode hash : component.get("hashes")) {
      if (hash.get("alg").asString().equals("SHA-256")) {
        return hash.get("content").asString();
      }
    }
    return "";
  }

  private static String sha256(Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }
}
