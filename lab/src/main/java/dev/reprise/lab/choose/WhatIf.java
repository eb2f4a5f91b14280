package dev.reprise.lab.choose;

import dev.reprise.lab.figure.Figure;
import java.util.Map;

/**
 * A worse case.
 *
 * @param change the change for the worse, in words
 * @param figures of the whole fleet, as simulated
 */
public record WhatIf(String change, Map<Figure, Double> figures) {
  /** Copies the figures. */
  public WhatIf {
    figures = Map.copyOf(figures);
  }
}
