package dev.reprise.device.queue;

import java.util.Arrays;

/** The positions of messages in their file; sequences are added in their order. */
final class Offsets {
  private long[] sequences = new long[8];
  private int[] offsets = new int[8];
  private int size;

  void add(long sequence, int offset) {
    if (size == sequences.length) {
      sequences = Arrays.copyOf(sequences, size * 2);
      offsets = Arrays.copyOf(offsets, size * 2);
    }
    sequences[size] = sequence;
    offsets[size] = offset;
    size++;
  }

  int of(long sequence) {
    int index = Arrays.binarySearch(sequences, 0, size, sequence);
    if (index < 0) {
      throw new IllegalStateException("there is no message " + sequence);
    }
    return offsets[index];
  }
}
