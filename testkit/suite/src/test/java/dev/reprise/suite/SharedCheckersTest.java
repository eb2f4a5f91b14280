package dev.reprise.suite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCheckersTest {
  @TempDir private Path folder;
  private Path first;
  private Path second;

  @BeforeEach
  void makeJars() throws IOException {
    first = jar("first.jar", new Attributes(), "first.txt");
    second = jar("second.jar", new Attributes(), "second.txt");
  }

  @Test
  void javaFindsWhatIsInAllJars() throws Exception {
    assertThat(foundByJava(first, second)).containsExactly("first.txt", "second.txt");
  }

  @Test
  void aMissingJarLeavesAllOut() throws Exception {
    Files.delete(second);

    assertThat(foundByJava(first, second)).isEmpty();
  }

  @Test
  void aCutJarLeavesAllOut() throws Exception {
    byte[] whole = Files.readAllBytes(first);
    Files.write(first, Arrays.copyOf(whole, whole.length / 2));

    assertThat(foundByJava(first, second)).isEmpty();
  }

  /** What a Java with the agent and these jars has on its class path. */
  private List<String> foundByJava(Path... jars) throws Exception {
    Attributes agent = new Attributes();
    agent.putValue("Premain-Class", SharedCheckers.class.getName());
    String agentClass = SharedCheckers.class.getName().replace('.', '/') + ".class";
    Path path = folder.resolve("path");
    Files.writeString(
        path, String.join(File.pathSeparator, List.of(jars).stream().map(Path::toString).toList()));

    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-javaagent:" + jar("agent.jar", agent, agentClass) + "=" + path,
                "-cp",
                Path.of(Looker.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toString(),
                Looker.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(java.getInputStream().readAllBytes(), UTF_8);

    assertThat(java.waitFor()).as("exit status of Java").isZero();
    return output.lines().toList();
  }

  /** A jar with one entry, whose content is that of the resource of this name if there is one. */
  private Path jar(String name, Attributes attributes, String entry) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putAll(attributes);
    Path jar = folder.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        var content = SharedCheckers.class.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      if (content != null) {
        content.transferTo(out);
      }
    }
    return jar;
  }

  /** Prints which of the entries Java finds. */
  static final class Looker {
    private Looker() {}

    public static void main(String[] args) {
      for (String name : List.of("first.txt", "second.txt")) {
        if (ClassLoader.getSystemResource(name) != null) {
          System.out.println(name);
        }
      }
    }
  }
}
