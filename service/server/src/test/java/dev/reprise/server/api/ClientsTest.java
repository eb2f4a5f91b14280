package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that OpenAPI Generator makes of what the service serves at {@code /openapi.json}, or at
 * {@code /openapi-3.0.json} (TypeScript, Go): each is compiled, and does with the running service
 * what a user would.
 */
@Tag("slow")
@Timeout(value = 9, unit = TimeUnit.MINUTES)
class ClientsTest {
  /** The build puts the tools there, see {@code pom.xml}. */
  private static final Path TOOLS = tools();

  @TempDir private Path folder;

  private static Path tools() {
    Path classes;
    try {
      classes =
          Path.of(ClientsTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    return classes.resolveSibling("clients");
  }

  @Test
  void inJava() throws Exception {
    try (RunningService api = RunningService.dev(folder.resolve("data"));
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(400, null)) {
      Path client = generate(api, "/openapi.json", "java", "--library", "native");
      Path classes = Files.createDirectories(folder.resolve("classes"));
      String libraries = jars(TOOLS.resolve("java-libraries"));
      program("Walk.java", client.resolve("src/main/java"));
      compile(client.resolve("src/main/java"), libraries, classes);

      assertWalked(
          "java",
          "[DE, FR]",
          run(
              Map.of(),
              java(),
              "-cp",
              classes + File.pathSeparator + libraries,
              "Walk",
              api.service.baseUrl(),
              endpoint.url()));
    }
  }

  @Test
  void inPython() throws Exception {
    assumeInstalled("python3");
    assumeInstalled("pip3");
    try (RunningService api = RunningService.dev(folder.resolve("data"));
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(400, null)) {
      Path client = generate(api, "/openapi.json", "python");
      Path walk = program("walk.py", client);
      Path libraries = pythonLibraries();

      assertWalked(
          "python",
          "['DE', 'FR']",
          run(
              Map.of("PYTHONPATH", libraries + File.pathSeparator + client),
              "python3",
              walk.toString(),
              api.service.baseUrl(),
              endpoint.url()));
    }
  }

  @Test
  void inTypeScript() throws Exception {
    assumeInstalled("node");
    try (RunningService api = RunningService.dev(folder.resolve("data"));
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(400, null)) {
      Path client = generate(api, "/openapi-3.0.json", "typescript-fetch");
      Path walk = program("walk.ts", Objects.requireNonNull(client.getParent()));
      Path compiled = folder.resolve("compiled");
      run(
          Map.of(),
          "node",
          typeScriptCompiler().toString(),
          "--strict",
          "--target",
          "es2022",
          "--lib",
          "es2022,dom",
          "--module",
          "commonjs",
          "--outDir",
          compiled.toString(),
          walk.toString());

      assertWalked(
          "typescript",
          "[\"DE\",\"FR\"]",
          run(
              Map.of(),
              "node",
              compiled.resolve("walk.js").toString(),
              api.service.baseUrl(),
              endpoint.url()));
    }
  }

  /**
   * The standard library alone is there: what the client needs besides would have to be fetched.
   */
  @Test
  void inGo() throws Exception {
    assumeInstalled("go");
    try (RunningService api = RunningService.dev(folder.resolve("data"));
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(400, null)) {
      Path client =
          generate(api, "/openapi-3.0.json", "go", "--additional-properties=packageName=reprise");
      Path module = folder.resolve("walk");
      Files.createDirectories(module);
      Files.delete(client.resolve("go.mod"));
      Files.move(client, module.resolve("reprise"));
      Files.writeString(module.resolve("go.mod"), "module walk\n\ngo 1.18\n");
      program("walk.go", module);
      Path walk = module.resolve("walk");
      runIn(module, Map.of("GOPROXY", "off"), "go", "build", "-o", walk.toString());

      assertWalked(
          "go",
          "[\"DE\",\"FR\"]",
          run(Map.of(), walk.toString(), api.service.baseUrl(), endpoint.url()));
    }
  }

  /** What pip installs is kept for the next run, which may be that on another JDK. */
  private Path pythonLibraries() throws Exception {
    Path wanted = program("requirements.txt", folder);
    String key = run(Map.of(), "python3", "--version").strip() + Files.readString(wanted);
    Path kept =
        Path.of(System.getProperty("user.home"), ".cache", "reprise-tests")
            .resolve("python-" + UUID.nameUUIDFromBytes(key.getBytes(UTF_8)));
    if (!Files.isDirectory(kept)) {
      Path fresh = Files.createTempDirectory(Files.createDirectories(kept.getParent()), "python");
      run(
          Map.of(),
          "python3",
          "-m",
          "pip",
          "install",
          "--quiet",
          "--disable-pip-version-check",
          "--target",
          fresh.toString(),
          "--requirement",
          wanted.toString());
      Files.move(fresh, kept);
    }
    return kept;
  }

  /** What each program says of the same walk through topic, message, dead letter and redrive. */
  private static void assertWalked(String topic, String countries, String said) {
    assertThat(said.lines().map(line -> line.replace("True", "true")))
        .containsExactly(
            "topic " + topic,
            "subscription " + topic + "-1",
            "repeated true",
            "dead NOT_RETRYABLE true",
            "listed dead-lettered",
            "attributes " + countries,
            "history 400",
            "redriven 1",
            "changed 8",
            "health 8",
            "ledger 1",
            "presets true",
            "preview 0",
            "error 404 not_found");
  }

  /** Returns the folder with the client, made of the document as it is served. */
  private Path generate(RunningService api, String description, String language, String... options)
      throws Exception {
    Path generators = TOOLS.resolve("generator");
    assumeTrue(Files.isDirectory(generators), "no generator: build with -Pall");
    Path document = Files.writeString(folder.resolve("openapi.json"), api.get(description).text());
    Path client = folder.resolve("client");
    List<String> command =
        new ArrayList<>(List.of(java(), "-jar", jars(generators), "generate", "-g", language));
    command.addAll(List.of("-i", document.toString(), "-o", client.toString()));
    command.add("--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false");
    command.addAll(List.of(options));
    run(Map.of(), command.toArray(String[]::new));
    return client;
  }

  private static void compile(Path sources, String libraries, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null);
        Stream<Path> found = Files.walk(sources)) {
      List<Path> java = found.filter(file -> file.toString().endsWith(".java")).toList();
      boolean compiled =
          compiler
              .getTask(
                  said,
                  files,
                  null,
                  List.of("-cp", libraries, "-d", classes.toString(), "-proc:none", "-nowarn"),
                  null,
                  files.getJavaFileObjectsFromPaths(java))
              .call();
      assertThat(compiled).as(said::toString).isTrue();
    }
  }

  private static Path typeScriptCompiler() throws IOException {
    try (Stream<Path> files = Files.walk(TOOLS.resolve("typescript"))) {
      return files.filter(file -> file.endsWith("tsc.js")).findFirst().orElseThrow();
    }
  }

  private static Path program(String name, Path folder) throws IOException {
    try (InputStream program =
        ClientsTest.class.getResourceAsStream("/dev/reprise/server/clients/" + name)) {
      Path file = folder.resolve(name);
      Files.copy(Objects.requireNonNull(program, name), file);
      return file;
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String jars(Path folder) {
    try (Stream<Path> jars = Files.list(folder)) {
      return String.join(File.pathSeparator, jars.map(Path::toString).sorted().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assumeInstalled(String tool) {
    boolean installed =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(place -> Files.isExecutable(Path.of(place, tool)));
    assumeTrue(installed, tool + " is not installed");
  }

  /** Runs a program that must succeed; what it wrote to its output. */
  private String run(Map<String, String> environment, String... command) throws Exception {
    return runIn(folder, environment, command);
  }

  private String runIn(Path directory, Map<String, String> environment, String... command)
      throws Exception {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(4, TimeUnit.MINUTES)).as("%s ends", List.of(command)).isTrue();
    } finally {
      process.destroyForcibly().onExit().join();
    }
    String said = Files.readString(out);
    assertThat(process.exitValue())
        .as("%s%n%s%n%s", List.of(command), said, Files.readString(err))
        .isZero();
    return said;
  }
}
