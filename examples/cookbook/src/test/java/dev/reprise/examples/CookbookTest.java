package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code in COOKBOOK.md is that of the examples, which are compiled and run. */
class CookbookTest {
  private static final int MAX_LINES = 20;
  static final Path ROOT = root();
  private static final Pattern SOURCE =
      Pattern.compile("<!-- (examples/[^ #]+)(?:#([a-z0-9-]+))? -->");

  /** A block of code, and the comment before it that tells where it comes from. */
  private record Block(int line, String source, String region, List<String> content) {
    List<String> imports() {
      return content.stream().filter(text -> text.startsWith("import ")).toList();
    }

    /** Returns what comes after the imports and the line that divides them from the code. */
    List<String> code() {
      return imports().isEmpty() ? content : content.subList(imports().size() + 1, content.size());
    }

    @Override
    public String toString() {
      return "line " + line + ": " + source + "#" + region;
    }
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("COOKBOOK.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    List<String> lines = Files.readAllLines(ROOT.resolve("COOKBOOK.md"));
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).matches("```[a-z]+")) {
        Matcher source = SOURCE.matcher(i == 0 ? "" : lines.get(i - 1));
        String path = source.matches() ? source.group(1) : "no source";
        String region = source.matches() && source.group(2) != null ? source.group(2) : "";
        int start = i + 1;
        while (!lines.get(++i).equals("```")) {}
        blocks.add(new Block(start, path, region, lines.subList(start, i)));
      }
    }
    return blocks;
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void aBlockIsARegionOfAnExample(Block block) throws IOException {
    assertThat(ROOT.resolve(block.source())).as("the source of the code").exists();
    List<String> source = Files.readAllLines(ROOT.resolve(block.source()));
    assertThat(block.code())
        .isEqualTo(block.region().isEmpty() ? source : region(source, block.region()))
        .hasSizeLessThanOrEqualTo(MAX_LINES);
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void aBlockBeginsWithTheImportsThatItNeeds(Block block) throws IOException {
    String code =
        String.join("\n", block.code()).replaceAll("//.*", "").replaceAll("\"[^\"\n]*\"", "");
    List<String> needed =
        Files.readAllLines(ROOT.resolve(block.source())).stream()
            .filter(text -> text.startsWith("import "))
            .filter(
                text -> uses(code, text.substring(text.lastIndexOf('.') + 1, text.length() - 1)))
            .toList();
    assertThat(block.imports()).isEqualTo(needed);
  }

  private static boolean uses(String code, String name) {
    return Pattern.compile("(?<![\\w.])" + name + "\\b").matcher(code).find();
  }

  @Test
  void everyRegionOfTheExamplesIsInTheCookbook() throws IOException {
    Set<String> shown = new HashSet<>();
    for (Block block : blocks()) {
      shown.add(block.source() + "#" + block.region());
    }
    Set<String> there = new HashSet<>();
    for (Path file : CheckoutFiles.endingWith(".java", ROOT.resolve("examples"))) {
      // The markers in this test are not regions.
      if (file.toString().contains("/src/main/")) {
        Files.readAllLines(file).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("// @start region="))
            .map(line -> line.substring("// @start region=".length()))
            .forEach(region -> there.add(ROOT.relativize(file) + "#" + region));
      }
    }
    assertThat(there).isNotEmpty().isSubsetOf(shown);
  }

  @Test
  void everyTaskHasCode() throws IOException {
    long tasks =
        Files.readAllLines(ROOT.resolve("COOKBOOK.md")).stream()
            .filter(line -> line.startsWith("## "))
            .count();
    assertThat(tasks).isGreaterThanOrEqualTo(10);
    assertThat((long) blocks().size()).isGreaterThanOrEqualTo(tasks);
  }

  /** Returns the lines between the markers, without the indentation that all of them have. */
  private static List<String> region(List<String> source, String name) {
    List<String> region = new ArrayList<>();
    boolean inside = false;
    for (String line : source) {
      if (line.strip().equals("// @start region=" + name)) {
        inside = true;
      } else if (inside && line.strip().equals("// @end")) {
        return String.join("\n", region).stripIndent().lines().toList();
      } else if (inside) {
        region.add(line);
      }
    }
    throw new AssertionError("there is no region " + name);
  }
}
