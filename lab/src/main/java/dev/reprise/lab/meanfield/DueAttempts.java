package dev.reprise.lab.meanfield;

import dev.reprise.lab.kernel.DelayLaw.Piece;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps when the devices that fail in one step make their next attempt. A class keeps not how many
 * attempts are due in each step but by how much that changes from one step to the next: so devices
 * that are spread over any span are a few additions, and what is due is their running sum.
 *
 * <p>Devices fail evenly within their step. Those of a piece of a law then come evenly within the
 * piece, moved by up to a step: a trapezium, whose share of each step is exact here. So no mass is
 * lost, and delays keep their mean; an attempt that would fall into the same step comes in the
 * next.
 */
final class DueAttempts {
  /** A piece that is narrower than this part of a step is a single delay. */
  private static final double NARROW = 1e-3;

  private int size;
  private int lastOffset;
  private double share;
  private int[] offsets = new int[16];
  private double[] changes = new double[16];

  /** Returns the deposit of one device that waits by a law. */
  static DueAttempts of(List<Piece> pieces, double stepSeconds) {
    DueAttempts deposit = new DueAttempts();
    for (Piece piece : pieces) {
      deposit.add(
          piece.share(), piece.lowestSeconds() / stepSeconds, piece.highestSeconds() / stepSeconds);
    }
    return deposit;
  }

  void clear() {
    size = 0;
    lastOffset = 0;
    share = 0;
  }

  /** Adds a share of the devices, spread evenly between two delays, both in steps. */
  void add(double share, double lowest, double highest) {
    this.share += share;
    if (highest - lowest < NARROW) {
      addTogether(share, (lowest + highest) / 2);
    } else {
      double density = share / (highest - lowest);
      addEdge(density, lowest);
      addEdge(-density, highest);
    }
  }

  private void addTogether(double share, double delay) {
    // Delays that are whole steps must not wear away by rounding, retry after retry.
    int whole = (int) Math.floor(delay + 1e-9);
    double part = Math.max(0, delay - whole);
    put(whole, share * (1 - part));
    put(whole + 1, share * (2 * part - 1));
    put(whole + 2, -share * part);
  }

  /** Adds a rise of the density from this delay on. */
  private void addEdge(double density, double delay) {
    int whole = (int) Math.floor(delay + 1e-9);
    double part = Math.max(0, delay - whole);
    put(whole, density * (1 - part) * (1 - part) / 2);
    put(whole + 1, density * (0.5 + part - part * part));
    put(whole + 2, density * part * part / 2);
  }

  private void put(int offset, double change) {
    if (change == 0) {
      return;
    }
    if (offset == 0) {
      // An attempt due in the same step is due in the next one too.
      put(1, 2 * change);
      put(2, -change);
      return;
    }
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * size);
      changes = Arrays.copyOf(changes, 2 * size);
    }
    lastOffset = Math.max(lastOffset, offset);
    offsets[size] = offset;
    changes[size++] = change;
  }

  /** Returns how much of each device is put anywhere; the rest gives up. */
  double share() {
    return share;
  }

  /** Returns the latest step, counted from the present one, that anything is put into. */
  int lastOffset() {
    return lastOffset;
  }

  /** Adds so many devices to the ring of a class. */
  void put(double devices, double[] ring, int at) {
    int mask = ring.length - 1;
    for (int i = 0; i < size; i++) {
      ring[(at + offsets[i]) & mask] += devices * changes[i];
    }
  }
}
