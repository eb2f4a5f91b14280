package dev.reprise.common.text;

/**
 * Draws bars of text: Unicode blocks of eighths of a cell, or dots where a terminal has only ASCII.
 * A bar is drawn cell by cell, so that a chart can put its own marks where the bar is not.
 */
public final class Bars {
  /** The eighths of a full cell. */
  public static final int FULL = 8;

  private static final String EIGHTHS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
  private static final String DOTS = " ...:::##";

  /** Sums of shares end a little below the whole. */
  private static final double ROUNDING = 1e-9;

  private Bars() {}

  /**
   * Returns how many eighths of a cell a bar fills, 0 to 8. If the bar is not nothing, it can be
   * seen in its lowest cell.
   *
   * @param share the length of the bar, 0 to 1 of all rows
   * @param row the row of the cell, from 1, the lowest, to {@code rows}
   * @param rows how many rows the chart has
   */
  public static int eighths(double share, int row, int rows) {
    long filled = Math.round(share * rows * FULL) - (row - 1L) * FULL;
    long min = row == 1 && share > 0 ? 1 : 0;
    return (int) Math.max(min, Math.min(FULL, filled));
  }

  /** Returns the Unicode block of so many eighths, 0 to 8; a space for 0. */
  public static char block(int eighths) {
    return EIGHTHS.charAt(eighths);
  }

  /** Returns the ASCII character nearest to so many eighths, 0 to 8; a space for 0. */
  public static char ascii(int eighths) {
    return DOTS.charAt(eighths);
  }

  /**
   * Returns a line of blocks, one for each share from 0 to 1. A share that is not 0 can be seen,
   * and only the whole is a full block.
   */
  public static String line(double... shares) {
    StringBuilder line = new StringBuilder(shares.length);
    for (double share : shares) {
      int eighths = (int) Math.floor(share * FULL + ROUNDING);
      line.append(block(Math.max(share > 0 ? 1 : 0, Math.min(FULL, eighths))));
    }
    return line.toString();
  }
}
