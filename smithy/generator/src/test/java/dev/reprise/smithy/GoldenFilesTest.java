package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.node.Node;

/**
 * What each model of {@code golden/} becomes, file by file. {@code -Dreprise.golden=write} writes
 * what is generated now; the difference is then read like any other.
 */
class GoldenFilesTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "golden");

  @TempDir private Path compiled;

  static Stream<String> models() throws IOException {
    try (Stream<Path> folders = Files.list(FOLDER)) {
      return folders.map(folder -> folder.getFileName().toString()).sorted().toList().stream();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("models")
  void isGeneratedAsCheckedIn(String name) throws IOException {
    Map<String, String> generated = generate(name).files();
    Path expected = FOLDER.resolve(name).resolve("expected");
    if ("write".equals(System.getProperty("reprise.golden"))) {
      write(expected, generated);
    }
    assertThat(read(expected)).isEqualTo(generated);
  }

  @Tag("slow")
  @ParameterizedTest(name = "{0}")
  @MethodSource("models")
  void compilesWithoutAWarning(String name) {
    CompiledErrors.compile(generate(name).files(), compiled);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("models")
  void isPlainText(String name) {
    generate(name)
        .files()
        .forEach(
            (path, text) -> {
              assertThat(text.chars()).as(path).allMatch(c -> c < 127);
              assertThat(text.lines()).as(path).allMatch(line -> line.equals(line.stripTrailing()));
              assertThat(text).as(path).doesNotContain("\n\n\n").endsWith("}\n");
            });
  }

  /** Whose digits are not ours, and whose small letters are not those of our capitals. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("models")
  void isTheSameInEveryCountry(String name) {
    Map<String, String> here = generate(name).files();
    Locale usual = Locale.getDefault();
    try {
      for (String tag : List.of("ar-EG", "tr-TR", "hi-IN-u-nu-deva")) {
        Locale.setDefault(Locale.forLanguageTag(tag));
        assertThat(generate(name).files()).as(tag).isEqualTo(here);
      }
    } finally {
      Locale.setDefault(usual);
    }
  }

  private static GeneratedErrors generate(String name) {
    Model model = CompiledErrors.model("golden/" + name);
    return RetryErrors.generate(model, settings(name));
  }

  private static RetryErrorsSettings settings(String name) {
    Path settings = FOLDER.resolve(name).resolve("settings.json");
    if (!Files.exists(settings)) {
      return RetryErrorsSettings.defaults();
    }
    try {
      return RetryErrorsSettings.read(Node.parse(Files.readString(settings)).expectObjectNode());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> read(Path folder) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String path = folder.relativize(file).toString().replace('\\', '/');
        files.put(path, Files.readString(file));
      }
    }
    return files;
  }

  private static void write(Path folder, Map<String, String> files) throws IOException {
    Set<Path> stale = new TreeSet<>();
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        stale.addAll(all.filter(Files::isRegularFile).collect(Collectors.toSet()));
      }
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
      stale.remove(path);
    }
    for (Path path : List.copyOf(stale)) {
      Files.delete(path);
    }
  }
}
