package dev.reprise.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;

/**
 * An agent for the Maven that builds: lets javac find the checkers on Java's own class path. From
 * the path of annotation processors, it would load them with a class loader of its own at each
 * compilation, so that Java verified, interpreted and compiled the same classes some eighty times:
 * more than a quarter of the build.
 */
public final class SharedCheckers {
  private SharedCheckers() {}

  /**
   * Called by Java before Maven begins. Where one of the jars cannot be opened, javac gets all of
   * them from the path of annotation processors, as without this agent: classes of some jars would
   * not find those of the others, and a Java whose agent fails does not start.
   *
   * @param file has the paths of the checkers' jars, in the order and the form of a class path
   * @throws IOException if the file cannot be read: Java then does not start
   */
  public static void premain(String file, Instrumentation java) throws IOException {
    openAll(Files.readString(Path.of(file), UTF_8).strip())
        .forEach(java::appendToSystemClassLoaderSearch);
  }

  /** All jars of the class path, or none where one of them cannot be opened. */
  private static List<JarFile> openAll(String classPath) throws IOException {
    List<JarFile> jars = new ArrayList<>();
    try {
      for (String jar : classPath.split(File.pathSeparator, -1)) {
        jars.add(new JarFile(jar));
      }
      return jars;
    } catch (IOException e) {
      for (JarFile jar : jars) {
        jar.close();
      }
      return List.of();
    }
  }
}
