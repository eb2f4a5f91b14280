package dev.reprise.cli.smithy;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.smithy.GeneratedErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The result of writing generated sources to a folder.
 *
 * @param written the files that are new or have changed, below the folder
 * @param unchanged how many held what they should already; they keep their times, so that builds
 *     see no change
 * @param removed files that were generated once and are not any more
 * @param left Java files beside the generated ones that were not generated
 */
record GeneratedFolder(
    List<String> written, int unchanged, List<String> removed, List<String> left) {
  /** The beginning of every generated file. */
  private static final String MARKER = GeneratedErrors.HEADER;

  /**
   * Writes the files. Each is replaced as a whole, and those that are no longer generated go last.
   *
   * @param folder where to; it need not exist
   * @param files texts by their path below the folder
   * @throws CommandFailure when a file cannot be written
   */
  static GeneratedFolder write(Path folder, SortedMap<String, String> files) {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw CommandFailure.wrongUsage("--output " + folder + " is a file: must be a folder");
    }
    try {
      List<String> written = new ArrayList<>();
      for (Map.Entry<String, byte[]> file : bytes(files).entrySet()) {
        if (replace(folder.resolve(file.getKey()), file.getValue())) {
          written.add(file.getKey());
        }
      }
      List<String> removed = new ArrayList<>();
      List<String> left = new ArrayList<>();
      for (Path other : others(folder, files)) {
        String name = folder.relativize(other).toString();
        if (Files.readString(other, StandardCharsets.ISO_8859_1).startsWith(MARKER)) {
          Files.delete(other);
          removed.add(name);
        } else {
          left.add(name);
        }
      }
      return new GeneratedFolder(written, files.size() - written.size(), removed, left);
    } catch (IOException e) {
      throw CommandFailure.failed("--output " + folder + " cannot be written: " + e);
    }
  }

  private static SortedMap<String, byte[]> bytes(SortedMap<String, String> files) {
    SortedMap<String, byte[]> bytes = new TreeMap<>();
    files.forEach((name, text) -> bytes.put(name, text.getBytes(StandardCharsets.UTF_8)));
    return bytes;
  }

  /** Returns false when the file holds the content already. */
  private static boolean replace(Path file, byte[] content) throws IOException {
    if (Files.isRegularFile(file) && Arrays.equals(Files.readAllBytes(file), content)) {
      return false;
    }
    Files.createDirectories(file.getParent());
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.write(next, content);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
    return true;
  }

  /** Returns the Java files that stand beside generated ones and are none of them. */
  private static List<Path> others(Path folder, SortedMap<String, String> files)
      throws IOException {
    TreeSet<Path> packages = new TreeSet<>();
    files.keySet().forEach(name -> packages.add(folder.resolve(name).getParent()));
    List<Path> others = new ArrayList<>();
    for (Path one : packages) {
      try (Stream<Path> there = Files.list(one)) {
        there
            .filter(file -> file.toString().endsWith(".java") && Files.isRegularFile(file))
            .filter(file -> !files.containsKey(folder.relativize(file).toString()))
            .sorted()
            .forEach(others::add);
      }
    }
    return others;
  }
}
