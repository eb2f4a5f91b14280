package dev.reprise.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java runtime of the archive. */
@Tag("slow")
class RuntimeTest {
  private static final Pattern MODULE = Pattern.compile("(?m)-> ((?:java|jdk)\\.[\\w.]+)");

  @TempDir private Path folder;

  @Test
  void hasTheModulesThatTheLibrariesNeed() throws Exception {
    Installation installation = Installation.in(folder);
    Properties release = new Properties();
    try (var file = Files.newBufferedReader(installation.file("runtime/release"))) {
      release.load(file);
    }
    Set<String> modules = Set.of(release.getProperty("MODULES").replace("\"", "").split(" "));

    Set<String> needed = needed(installation.file("lib"));

    assertThat(needed).contains("java.management", "java.net.http");
    assertThat(modules).containsAll(needed);
  }

  @Test
  void trustsTheAuthoritiesOfTheJdk() throws Exception {
    Path trusted = Installation.in(folder).file("runtime/lib/security/cacerts");

    assertThat(trusted).isRegularFile().isNotEmptyFile();
  }

  /** Asks jdeps of all classes at once, without the descriptors of those that are modules. */
  private Set<String> needed(Path lib) throws Exception {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    try (Stream<Path> jars = Files.list(lib)) {
      for (Path jar : jars.filter(file -> file.toString().endsWith(".jar")).toList()) {
        unpackClasses(jar, classes);
      }
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(
                new PrintWriter(out),
                new PrintWriter(err),
                "-s",
                "--ignore-missing-deps",
                classes.toString());
    assertThat(exitCode).as(out + "" + err).isZero();
    Set<String> needed = new TreeSet<>();
    MODULE.matcher(out.toString()).results().forEach(found -> needed.add(found.group(1)));
    return needed;
  }

  private static void unpackClasses(Path jar, Path classes) throws Exception {
    try (JarFile open = new JarFile(jar.toFile(), false, JarFile.OPEN_READ, Runtime.version())) {
      // Of a jar with classes for several versions of Java, those for this one.
      for (JarEntry entry : open.versionedStream().toList()) {
        if (entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class")) {
          Path file = classes.resolve(entry.getName());
          Files.createDirectories(file.getParent());
          try (InputStream in = open.getInputStream(entry)) {
            Files.write(file, in.readAllBytes());
          }
        }
      }
    }
  }
}
