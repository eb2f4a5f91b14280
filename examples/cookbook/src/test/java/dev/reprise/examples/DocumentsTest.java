package dev.reprise.examples;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Markdown files say of each library how it is depended upon, and of each class where it is.
 */
class DocumentsTest {
  private static final Path ROOT = CookbookTest.ROOT;

  /** The modules that programs depend on, by folder, with their artifacts. */
  private static final Map<String, String> LIBRARIES =
      Map.ofEntries(
          entry("core", "reprise-core"),
          entry("policy", "reprise-policy"),
          entry("testkit", "reprise-testkit"),
          entry("service/webhook", "reprise-webhook"),
          entry("device", "reprise-device"),
          entry("lab", "reprise-lab"),
          entry("smithy/runtime", "reprise-smithy-runtime"),
          entry("ecosystem/micrometer", "reprise-micrometer"),
          entry("ecosystem/opentelemetry", "reprise-opentelemetry"),
          entry("ecosystem/reactor", "reprise-reactor"),
          entry("ecosystem/spring-boot", "reprise-spring-boot-starter"));

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+);$");
  private static final Pattern NAME = Pattern.compile("(?<![\\w.\"])[A-Z]\\w*");
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#]+)(?:#[^)]*)?\\)");

  static Stream<Path> documents() throws IOException {
    return CheckoutFiles.endingWith(".md", ROOT).stream().map(ROOT::relativize);
  }

  static Stream<String> libraries() {
    return new TreeSet<>(LIBRARIES.keySet()).stream();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void aLibraryIsIntroducedWithItsCoordinates(String folder) throws IOException {
    assertThat(Files.readString(ROOT.resolve(folder).resolve("pom.xml")))
        .contains("<artifactId>" + LIBRARIES.get(folder) + "</artifactId>");
    assertThat(Files.readString(ROOT.resolve(folder).resolve("README.md")))
        .contains("dev.reprise:" + LIBRARIES.get(folder) + ":0.1.0-SNAPSHOT");
  }

  @ParameterizedTest
  @MethodSource("documents")
  void codeImportsTheClassesThatItUses(Path document) throws IOException {
    Map<String, Set<String>> classes = publicClasses();
    Set<String> imported = new HashSet<>();
    for (String block : matches(BLOCK, Files.readString(ROOT.resolve(document)))) {
      Set<String> imports = new TreeSet<>(matches(IMPORT, block));
      imports.forEach(name -> imported.add(name.substring(name.lastIndexOf('.') + 1)));
      for (String name : imports) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        if (name.startsWith("dev.reprise.") && !name.contains(".examples.")) {
          assertThat(classes.getOrDefault(simple, Set.of()))
              .as("imported: %s", name)
              .contains(name);
        }
      }
      String code =
          block
              .replaceAll("(?m)^import .*$", "")
              .replaceAll("//.*", "")
              .replaceAll("\"(?:[^\"\\\\\n]|\\\\.)*\"", "");
      assertThat(new TreeSet<>(matches(NAME, code)))
          .as(
              "classes of Reprise in %s that neither this block nor one before it imports",
              document)
          .filteredOn(classes::containsKey)
          .isSubsetOf(imported);
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void aLinkLeadsToAFile(Path document) throws IOException {
    Path file = ROOT.resolve(document);
    for (String target : matches(LINK, Files.readString(file))) {
      assertThat(file.resolveSibling(target)).as("a link of %s", document).exists();
    }
  }

  @Test
  void thereAreDocumentsToCheck() throws IOException {
    assertThat(documents()).hasSizeGreaterThan(20);
    assertThat(publicClasses()).containsKeys("Retry", "DeviceClient", "PolicyDocuments");
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.groupCount() == 0 ? found.group() : found.group(1))
        .toList();
  }

  /** Returns the full names of the libraries' public top-level classes by their simple names. */
  private static Map<String, Set<String>> publicClasses() throws IOException {
    Map<String, Set<String>> classes = new TreeMap<>();
    for (String folder : LIBRARIES.keySet()) {
      Path sources = ROOT.resolve(folder).resolve("src/main/java");
      for (Path file : CheckoutFiles.endingWith(".java", sources)) {
        String path = sources.relativize(file).toString().replace('/', '.');
        String name = path.substring(0, path.length() - ".java".length());
        String simple = name.substring(name.lastIndexOf('.') + 1);
        if (Files.readString(file).contains("\npublic ")) {
          classes.computeIfAbsent(simple, key -> new TreeSet<>()).add(name);
        }
      }
    }
    return classes;
  }
}
