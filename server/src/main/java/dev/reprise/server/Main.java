package dev.reprise.server;

import dev.reprise.server.cli.Cli;
import dev.reprise.server.cli.terminal.Terminal;

/** The {@code reprise} command. */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    Terminal terminal = Terminal.ofProcess();
    int exitCode = Cli.run(terminal, args);
    terminal.flush();
    System.exit(exitCode);
  }
}
