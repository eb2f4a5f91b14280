package dev.reprise.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Reads units of systemd and manifests of Kubernetes. */
final class DeploymentFiles {
  private static final String NO_OPTION = "--no-such-option";

  private DeploymentFiles() {}

  /**
   * Every option is one that the command of the archive knows, and takes a value if one follows.
   */
  static void assertOptionsExist(Installation installation, List<String> words) throws Exception {
    List<String> command = new ArrayList<>(List.of("serve"));
    boolean ofOption = false;
    for (String word : words) {
      boolean option = word.startsWith("--");
      if (option || (ofOption && !word.startsWith("$"))) {
        command.add(word);
      }
      ofOption = option;
    }
    assertThat(command).hasSizeGreaterThan(1);
    command.add(NO_OPTION);

    Installation.Run run = installation.run(command.toArray(String[]::new));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .as(command.toString())
        .startsWith("reprise: there is no option " + NO_OPTION + ".");
  }

  static Map<String, List<String>> assignments(List<String> lines) {
    Map<String, List<String>> found = new LinkedHashMap<>();
    for (String line : lines) {
      if (!line.isBlank() && !line.startsWith("#") && !line.startsWith("[")) {
        String[] parts = line.split("=", 2);
        found.computeIfAbsent(parts[0], name -> new ArrayList<>()).add(parts[1]);
      }
    }
    assertThat(found.values()).as("each is given once").allMatch(values -> values.size() == 1);
    return found;
  }

  /** Returns the objects of a manifest by kind and name. */
  static Map<String, Map<String, ?>> manifest(Path file) throws Exception {
    Map<String, Map<String, ?>> objects = new LinkedHashMap<>();
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    for (Object document :
        new Yaml(new SafeConstructor(strict)).loadAll(new StringReader(Files.readString(file)))) {
      Map<String, ?> object = map(document);
      assertThat(object.get("apiVersion")).isIn("v1", "apps/v1", "policy/v1");
      String key = object.get("kind") + " " + at(object, "metadata", "name");
      assertThat(objects.put(key, object)).as(key).isNull();
    }
    return objects;
  }

  static Object at(Map<String, ?> object, String... path) {
    Object found = object;
    for (String name : path) {
      found = map(found).get(name);
      assertThat(found).as(name).isNotNull();
    }
    return found;
  }

  @SuppressWarnings("unchecked") // a document has texts as keys
  static Map<String, ?> map(Object value) {
    return (Map<String, ?>) value;
  }

  static List<?> list(Object value) {
    return (List<?>) value;
  }

  static int seconds(String span) {
    Matcher matcher = Pattern.compile("([0-9]+)s").matcher(span);
    assertThat(matcher.matches()).as(span).isTrue();
    return Integer.parseInt(matcher.group(1));
  }
}
