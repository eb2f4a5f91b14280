package dev.reprise.cli;

import dev.reprise.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Runs commands in this process and keeps what they print. */
public final class CommandRun {
  private final Map<String, String> environment = new HashMap<>();
  private byte[] input = {};
  private boolean interactive;
  private int width = 100;

  /** What a command printed and how it ended. */
  public record Result(int exitCode, String out, String err) {}

  public static Result run(String... args) {
    return new CommandRun().with("REPRISE_URL", "http://127.0.0.1:1").execute(args);
  }

  public CommandRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  public CommandRun input(String text) {
    input = text.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  public CommandRun input(byte[] bytes) {
    input = bytes;
    return this;
  }

  public CommandRun interactive() {
    interactive = true;
    return this;
  }

  public CommandRun width(int columns) {
    width = columns;
    return this;
  }

  public Result execute(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    InputStream in = new ByteArrayInputStream(input);
    int exitCode =
        Cli.run(
            new Terminal(
                in,
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8),
                interactive,
                interactive,
                interactive,
                width,
                Map.copyOf(environment)),
            args);
    return new Result(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
