package dev.reprise.server.document;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.policy.document.JsonFault;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.representer.Representer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads YAML files, and JSON, as trees of Jackson.
 *
 * <p>What is written without quotes is a boolean if it is {@code true} or {@code false}, null if it
 * is {@code null}, {@code ~} or nothing, and a number if it is one in JSON ({@code 12}, {@code
 * -0.5}, {@code 1e3}); anything else is text: {@code no}, {@code on}, {@code 0123}, {@code
 * 12:30:00} and {@code 2026-01-01} too, which YAML 1.1 takes for something else. Tags other than
 * {@code !!str}, merge keys, and keys that are given twice are refused.
 *
 * <p>A file may have 16 million characters, nested 64 levels deep. Aliases may repeat 200,000 parts
 * in all, so that a short file cannot fill the memory.
 */
public final class YamlText {
  static final int MAX_DEPTH = 64;

  private static final int MAX_CHARACTERS = 16 << 20;
  private static final JsonMapper JSON = JsonFault.strictMapper();

  private YamlText() {}

  /**
   * Returns the documents of a text, one for each part between lines of {@code ---}.
   *
   * @param name what errors call the text: the file
   * @throws InvalidYamlException when it is not YAML; the message begins with the name
   */
  public static List<JsonNode> read(String name, String text) {
    return documents(name, text).stream().map(YamlDocument::json).toList();
  }

  /**
   * Returns the documents of a text with the places of their parts.
   *
   * @param name what errors call the text: the file
   * @throws InvalidYamlException when it is not YAML; the message begins with the name
   */
  public static List<YamlDocument> documents(String name, String text) {
    String bare = text.startsWith("\ufeff") ? text.substring(1) : text;
    try {
      return yaml(name, bare);
    } catch (Fault fault) {
      // JSON that YAML refuses: with tabs between its parts, or a name of a thousand characters.
      if (!bare.stripLeading().startsWith("{")) {
        throw refused(name, fault);
      }
      return List.of(json(name, bare, fault));
    }
  }

  private static List<YamlDocument> yaml(String name, String text) throws Fault {
    List<YamlDocument> documents = new ArrayList<>();
    try {
      for (Node root : reader().composeAll(new StringReader(text))) {
        YamlTree tree = new YamlTree();
        documents.add(new YamlDocument(name, tree.read(root), tree.marks()));
      }
      return documents;
    } catch (MarkedYAMLException e) {
      throw new Fault(mark(e.getProblemMark()), wording(e));
    } catch (ReaderException e) {
      throw new Fault(
          markAt(text, e.getPosition()),
          String.format(Locale.ROOT, "the character U+%04X is not allowed here", e.getCodePoint()));
    } catch (YAMLException e) {
      throw new Fault(null, limit(String.valueOf(e.getMessage())));
    }
  }

  private static Yaml reader() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MAX_CHARACTERS);
    options.setNestingDepthLimit(MAX_DEPTH);
    // They are counted where they are followed: one short text may well stand for a policy often.
    options.setMaxAliasesForCollections(Integer.MAX_VALUE);
    // No tag ever makes an object: YamlTree refuses them, with the words of other errors.
    options.setTagInspector(tag -> true);
    DumperOptions unused = new DumperOptions();
    return new Yaml(
        new SafeConstructor(options),
        new Representer(unused),
        unused,
        options,
        new YamlTree.Resolver());
  }

  private static YamlDocument json(String name, String text, Fault ofYaml) {
    try {
      return new YamlDocument(name, JSON.readTree(text), Map.of());
    } catch (JacksonException e) {
      YamlDocument.@Nullable Mark mark =
          e.getLocation() == null
              ? null
              : new YamlDocument.Mark(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      Fault ofJson = new Fault(mark, JsonFault.describe(e));
      // It was meant as the one that got further.
      throw refused(name, ofYaml.isBefore(ofJson) ? ofJson : ofYaml);
    }
  }

  private static InvalidYamlException refused(String name, Fault fault) {
    return new InvalidYamlException(
        YamlDocument.place(name, fault.mark) + ": " + HarmlessText.visible(fault.rule));
  }

  private static String wording(MarkedYAMLException e) {
    String problem = String.valueOf(e.getProblem());
    if (problem.contains("\\t") || problem.contains("(TAB)")) {
      return "a tab stands where YAML takes spaces only";
    }
    String context = e.getContext();
    Mark begin = e.getContextMark();
    return problem.strip()
        + (context == null ? "" : ", " + context.strip())
        + (begin == null || context == null ? "" : " that begins in line " + (begin.getLine() + 1));
  }

  private static String limit(String said) {
    if (said.contains("Nesting Depth")) {
      return "parts lie more than " + MAX_DEPTH + " levels deep in each other";
    }
    return said.contains("exceeds the limit")
        ? "there are more than " + MAX_CHARACTERS + " characters"
        : said.lines().findFirst().orElse("not YAML");
  }

  static YamlDocument.@Nullable Mark mark(@Nullable Mark mark) {
    return mark == null ? null : new YamlDocument.Mark(mark.getLine() + 1, mark.getColumn() + 1);
  }

  /** The parser says where such a character is, but not in which line. */
  private static YamlDocument.Mark markAt(String text, int codePoints) {
    int end =
        text.offsetByCodePoints(0, Math.min(codePoints, text.codePointCount(0, text.length())));
    String before = text.substring(0, end);
    int line = (int) before.chars().filter(c -> c == '\n').count();
    return new YamlDocument.Mark(line + 1, end - (before.lastIndexOf('\n') + 1) + 1);
  }

  /** A rule that a text breaks, and where. */
  static final class Fault extends Exception {
    private static final long serialVersionUID = 1;

    private final transient YamlDocument.@Nullable Mark mark;
    private final String rule;

    Fault(YamlDocument.@Nullable Mark mark, String rule) {
      super(rule, null, false, false);
      this.mark = mark;
      this.rule = rule;
    }

    private boolean isBefore(Fault other) {
      if (mark == null || other.mark == null) {
        return false;
      }
      return mark.line() != other.mark.line()
          ? mark.line() < other.mark.line()
          : mark.column() < other.mark.column();
    }
  }
}
