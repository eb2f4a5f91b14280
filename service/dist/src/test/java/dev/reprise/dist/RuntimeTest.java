package dev.reprise.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.InputStream;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java runtime of the archive. */
@Tag("slow")
class RuntimeTest {
  /** Makes the documents of that library; its jar holds it for no other use. */
  private static final String TOOLS_OF_ICU = "com/ibm/icu/dev/tool/";

  @TempDir static Path folder;
  private static Installation installation;

  @BeforeAll
  static void unpack() throws Exception {
    installation = Installation.in(folder);
  }

  @Test
  void hasTheModulesThatTheLibrariesNeed() throws Exception {
    Properties release = new Properties();
    try (var file = Files.newBufferedReader(installation.file("runtime/release"))) {
      release.load(file);
    }
    String modules = release.getProperty("MODULES").replace("\"", "");

    Set<String> needed = modulesThatLibrariesNeed();

    assertThat(needed).contains("java.management", "java.net.http");
    assertThat(List.of(modules.split(" ", -1))).containsAll(needed);
  }

  @Test
  void trustsAuthorities() {
    assertThat(installation.file("runtime/lib/security/cacerts")).isRegularFile().isNotEmptyFile();
  }

  private static Set<String> modulesThatLibrariesNeed() throws Exception {
    Map<String, String> moduleOfPackage = new HashMap<>();
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      String name = module.descriptor().name();
      module.descriptor().packages().forEach(known -> moduleOfPackage.put(known, name));
    }
    Set<String> needed = new TreeSet<>();
    try (Stream<Path> files = Files.list(installation.file("lib"))) {
      for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
        for (String named : packages(jar)) {
          if (moduleOfPackage.containsKey(named)) {
            needed.add(moduleOfPackage.get(named));
          }
        }
      }
    }
    return needed;
  }

  private static Set<String> packages(Path jar) throws Exception {
    Set<String> packages = new TreeSet<>();
    try (JarFile open = new JarFile(jar.toFile(), false, JarFile.OPEN_READ, Runtime.version())) {
      // Of a jar with classes for several versions of Java, those for this one.
      for (JarEntry entry : open.versionedStream().toList()) {
        String name = entry.getName();
        if (name.endsWith(".class")
            && !name.endsWith("module-info.class")
            && !name.startsWith(TOOLS_OF_ICU)) {
          try (InputStream in = new BufferedInputStream(open.getInputStream(entry))) {
            packages.addAll(ClassReferences.packages(in));
          }
        }
      }
    }
    return packages;
  }
}
