package dev.reprise.examples;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Files of the checkout. Folders that builds fill are not entered: while the tests of one module
 * run, those of others make and remove files there, and a walk that meets a vanished folder fails.
 */
final class CheckoutFiles {
  private static final Set<String> NOT_ENTERED = Set.of(".git", "target", "target-suite");

  private CheckoutFiles() {}

  /** Returns the files below a folder whose names end so, sorted. */
  static List<Path> endingWith(String suffix, Path folder) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            return !each.equals(folder) && NOT_ENTERED.contains(each.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
            if (each.toString().endsWith(suffix)) {
              found.add(each);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    Collections.sort(found);
    return found;
  }
}
