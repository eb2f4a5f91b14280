package dev.reprise.delivery;

import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A set of texts that takes little more memory than the texts themselves: all in one string, in
 * order, and where each begins. Immutable and safe for use by many threads.
 */
final class PackedValues {
  private final String joined;

  /** Where each text begins, and where the last one ends. */
  private final int[] starts;

  PackedValues(Collection<String> texts) {
    String[] sorted = texts.stream().distinct().sorted().toArray(String[]::new);
    this.joined = String.join("", sorted);
    this.starts = new int[sorted.length + 1];
    for (int i = 0; i < sorted.length; i++) {
      starts[i + 1] = starts[i] + sorted[i].length();
    }
  }

  boolean contains(String text) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compare(middle, text);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return false;
  }

  /** The order of {@link String#compareTo}, by which they are sorted. */
  private int compare(int index, String text) {
    int start = starts[index];
    int length = starts[index + 1] - start;
    int common = Math.min(length, text.length());
    for (int i = 0; i < common; i++) {
      int difference = joined.charAt(start + i) - text.charAt(i);
      if (difference != 0) {
        return difference;
      }
    }
    return length - text.length();
  }

  int size() {
    return starts.length - 1;
  }

  /** Returns the number of characters and numbers that are held. */
  int held() {
    return joined.length() + starts.length;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PackedValues values
        && joined.equals(values.joined)
        && Arrays.equals(starts, values.starts);
  }

  @Override
  public int hashCode() {
    return joined.hashCode();
  }
}
