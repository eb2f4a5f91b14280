package dev.reprise.lab.report;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The colours of the page, each in a light and a dark theme. Policies take the hues of Okabe and
 * Ito's palette, which people with any common colour blindness can tell apart, darkened or
 * lightened until their text can be read; the seventh policy begins again, with dashed lines.
 */
final class Palette {
  /**
   * A colour by its name in the style sheet.
   *
   * @param light on white
   * @param dark on black
   */
  record Colour(String name, String light, String dark) {}

  static final int POLICIES = 6;

  static final Colour PAPER = new Colour("paper", "#ffffff", "#16181b");

  /** Colours of text and lines, which must stand out from the paper. */
  static final List<Colour> INKS =
      List.of(
          new Colour("ink", "#1c1c1a", "#e9e7e2"),
          new Colour("soft", "#5d5d58", "#a5a49d"),
          new Colour("c0", "#0063a6", "#5fb8f0"),
          new Colour("c1", "#bd4800", "#ff9152"),
          new Colour("c2", "#00745a", "#38c9a0"),
          new Colour("c3", "#9c3f74", "#e796c4"),
          new Colour("c4", "#836000", "#e3b52c"),
          new Colour("c5", "#55504b", "#c3bfb8"));

  private static final List<Colour> GROUNDS =
      List.of(
          PAPER,
          new Colour("grid", "#e6e5e1", "#303338"),
          new Colour("shade", "#f1e9e4", "#2c2523"),
          new Colour("faint", "#c9c8c3", "#4b4f55"));

  private Palette() {}

  /** Returns the class that gives an element the colour of a policy. */
  static String ofPolicy(int index) {
    return "p" + index % POLICIES + (index < POLICIES ? "" : " again");
  }

  /** Returns the rules that give the colours their values: by the system's theme, or by choice. */
  static String css() {
    StringBuilder css = new StringBuilder();
    css.append(":root{color-scheme:light dark;").append(values(false)).append("}\n");
    css.append("@media screen and (prefers-color-scheme:dark){:root{")
        .append(values(true))
        .append("}}\n");
    for (boolean dark : new boolean[] {false, true}) {
      String theme = dark ? "dark" : "light";
      css.append("@media screen{:root[data-theme=").append(theme).append("]{color-scheme:");
      css.append(theme).append(';').append(values(dark)).append("}}\n");
    }
    for (int i = 0; i < POLICIES; i++) {
      css.append(".p").append(i).append("{--c:var(--c").append(i).append(")}\n");
    }
    return css.toString();
  }

  private static String values(boolean dark) {
    return List.of(GROUNDS, INKS).stream()
        .flatMap(List::stream)
        .map(colour -> "--" + colour.name() + ":" + (dark ? colour.dark() : colour.light()))
        .collect(Collectors.joining(";"));
  }
}
