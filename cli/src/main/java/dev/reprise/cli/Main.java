package dev.reprise.cli;

import dev.reprise.cli.base.JavaHttp;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.process.Starter;
import java.util.Locale;

/** The {@code reprise} command. */
public final class Main {
  /** The system property that says that this process is a part of the one that has started it. */
  private static final String PART = "reprise.part";

  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    // Libraries do not always name a locale: Kafka writes names of folders and ports of listeners
    // in the digits of the user's.
    Locale.setDefault(Locale.ROOT);
    JavaHttp.prepare();
    if (Boolean.getBoolean(PART)) {
      Starter.endWithIt();
    }
    Terminal terminal = Terminal.ofProcess();
    int exitCode = Cli.run(terminal, args);
    terminal.flush();
    System.exit(exitCode);
  }
}
