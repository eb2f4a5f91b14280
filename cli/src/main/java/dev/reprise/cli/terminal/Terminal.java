package dev.reprise.cli.terminal;

import dev.reprise.common.text.HarmlessText;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The input and output of a command, and what can be shown there. Output is UTF-8 always; only our
 * own decoration falls back to ASCII.
 *
 * @param in the standard input
 * @param out results
 * @param err progress, notes and errors
 * @param interactiveIn a person types the input
 * @param interactiveOut a person reads the results
 * @param interactiveErr a person reads the progress
 * @param width how many columns a line may have
 * @param environment the environment variables
 */
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean interactiveIn,
    boolean interactiveOut,
    boolean interactiveErr,
    int width,
    Map<String, String> environment) {
  private static final int USUAL_WIDTH = 100;

  /** A kind of emphasis, with the code that a terminal knows it by. */
  public enum Style {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    GOOD("32"),
    WAITING("33"),
    BAD("31");

    private final String code;

    Style(String code) {
      this.code = code;
    }
  }

  /**
   * Returns the terminal of this process. Java cannot tell which of its three streams is a
   * terminal, so {@code ./reprise} says so in the system property {@code reprise.terminal}: the
   * numbers of those that are, a colon and the width.
   */
  public static Terminal ofProcess() {
    String[] said = System.getProperty("reprise.terminal", ":").split(":", 2);
    return new Terminal(
        new FileInputStream(FileDescriptor.in),
        stream(FileDescriptor.out),
        stream(FileDescriptor.err),
        said[0].contains("0"),
        said[0].contains("1"),
        said[0].contains("2"),
        width(said.length < 2 ? "" : said[1]),
        System.getenv());
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(
        new BufferedOutputStream(new FileOutputStream(descriptor), 8192),
        false,
        StandardCharsets.UTF_8);
  }

  private static int width(String said) {
    try {
      return Math.max(60, Math.min(140, Integer.parseInt(said.strip())));
    } catch (NumberFormatException unknown) {
      return USUAL_WIDTH;
    }
  }

  /** Returns true when our own decoration may leave ASCII. */
  public boolean unicode() {
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String value = environment.get(name);
      if (value != null && !value.isEmpty()) {
        return value.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
      }
    }
    return false;
  }

  public @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** Returns true when results may be coloured (no-color.org). */
  public boolean colour() {
    return interactiveOut && allowsColour();
  }

  private boolean allowsColour() {
    return variable("NO_COLOR") == null && canMoveCursor();
  }

  /** Returns true when a terminal, where there is one, can draw over what it shows. */
  public boolean canMoveCursor() {
    return !"dumb".equals(environment.get("TERM"));
  }

  public String styled(String text, Style style) {
    return style == Style.PLAIN || text.isEmpty() || !colour()
        ? text
        : "\u001b[" + style.code + "m" + text + "\u001b[0m";
  }

  /** Writes a line of results. */
  public void line(String text) {
    out.print(text);
    out.print('\n');
  }

  /** Writes results as lines that fit, all of them indented. */
  public void paragraph(String text, String indent) {
    Words.wrapped(text, width - indent.length()).forEach(line -> line(indent + line));
  }

  /** Writes a line beside the results: it never ends up in a pipe. */
  public void note(String text) {
    out.flush();
    err.print(text);
    err.print('\n');
    err.flush();
  }

  public void error(String text) {
    String name = "reprise: ";
    note(interactiveErr && allowsColour() ? "\u001b[31m" + name + "\u001b[0m" + text : name + text);
  }

  /** Writes a warning: what was accepted and has no effect. */
  public void warning(String text) {
    note("reprise: warning: " + HarmlessText.visible(text));
  }

  /** Returns true when the results are no longer read, as after {@code | head}. */
  public boolean abandoned() {
    return out.checkError();
  }

  /** Writes what is still held back. */
  public void flush() {
    out.flush();
    err.flush();
  }
}
