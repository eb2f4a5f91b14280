package dev.reprise.cli.terminal;

/**
 * One line on the standard error that says how far a long command is; nothing if it is no terminal.
 */
public final class Progress {
  private static final long REDRAW_NANOS = 100_000_000;

  private final Terminal terminal;
  private long drawnAtNanos;
  private int drawn;

  public Progress(Terminal terminal) {
    this.terminal = terminal;
  }

  public void show(String text) {
    long now = System.nanoTime();
    if (!terminal.interactiveErr() || (drawn > 0 && now - drawnAtNanos < REDRAW_NANOS)) {
      return;
    }
    drawnAtNanos = now;
    String shown = Words.shortened(text, terminal.width() - 1);
    int width = Words.width(shown);
    terminal.out().flush();
    terminal.err().print("\r" + shown + " ".repeat(Math.max(0, drawn - width)));
    terminal.err().flush();
    drawn = width;
  }

  /** Takes the line away again. */
  public void clear() {
    if (drawn > 0) {
      terminal.err().print("\r" + " ".repeat(drawn) + "\r");
      terminal.err().flush();
      drawn = 0;
    }
  }
}
