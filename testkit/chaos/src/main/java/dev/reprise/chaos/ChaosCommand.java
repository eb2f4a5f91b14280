package dev.reprise.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;

/** Runs commands of the system. */
final class ChaosCommand {
  private ChaosCommand() {}

  /** Runs a command that must succeed. */
  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(
          String.join(" ", command) + " ended with " + process.exitValue() + ": " + said.strip());
    }
  }

  /** Runs a command that may fail, and returns why it did; empty if it did not. */
  static String attempt(String... command) throws InterruptedException {
    try {
      run(command);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
