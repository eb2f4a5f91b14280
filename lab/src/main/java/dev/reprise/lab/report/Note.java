package dev.reprise.lab.report;

import java.util.Objects;

/**
 * Something to say beside the figures, such as a finding of the linter.
 *
 * @param about what it is about: the name of a policy, or empty for the whole scenario
 * @param text what was found
 * @param proof why it is so, in one line; may be empty
 */
public record Note(String about, String text, String proof) {
  /** Checks that all are there. */
  public Note {
    Objects.requireNonNull(about, "about");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(proof, "proof");
  }
}
