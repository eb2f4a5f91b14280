package dev.reprise.bench.device;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A child JVM that answers each line it is sent with one line. It ends when its input does, and so
 * with the JVM that started it.
 */
final class Jvm implements AutoCloseable {
  private final Process process;
  private final PrintWriter requests;
  private final BufferedReader answers;

  private Jvm(Process process) {
    this.process = process;
    requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a class of this class path, with its log in the same place as ours. */
  static Jvm start(List<String> flags, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new Jvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns the next line that it says. */
  String line() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the child JVM has ended");
    }
    return line;
  }

  /** Sends a line and returns the answer. */
  String ask(String request) throws IOException {
    requests.println(request);
    return line();
  }

  /** Ends it with kill -9. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  /** Answers the requests to a child. */
  interface Answers {
    String to(String request) throws Exception;
  }

  /** Serves requests until the input ends; for the main method of a child. */
  static void serve(Answers answers) throws Exception {
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    @Nullable String request;
    while ((request = requests.readLine()) != null) {
      System.out.println(answers.to(request));
    }
    System.exit(0);
  }

  /** Returns what this JVM holds on its heap after a full collection. */
  static long liveHeapBytes() {
    // Cleaners and references that a first collection finds are gone with the second.
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** Returns the time that processors have worked for this JVM. */
  static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Pauses; for things outside that tell nobody when they are done. */
  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
  }
}
