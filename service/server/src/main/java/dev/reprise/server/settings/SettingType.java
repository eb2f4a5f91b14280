package dev.reprise.server.settings;

import org.jspecify.annotations.Nullable;

/**
 * The values that a setting may have, and how they are written.
 *
 * @param <T> how the program has such a value
 */
interface SettingType<T> {
  /** Returns the value; null if the text is none. */
  @Nullable T read(String text);

  /** Returns a text that {@link #read} reads as the value. */
  String write(T value);

  /** The rule for a text that is no value, such as {@code must be a number}. */
  String form();

  /** The rule for a value out of range; null for a value that is allowed. */
  @Nullable String broken(T value);

  /** The range, for a table of reference; empty where all values of the form are allowed. */
  String range();
}
