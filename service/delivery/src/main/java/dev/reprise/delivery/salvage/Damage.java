package dev.reprise.delivery.salvage;

import java.util.Arrays;

/**
 * A part of a file that cannot be read.
 *
 * @param file its name
 * @param offset where the part begins, in bytes
 * @param bytes how long it is; 0 for a file that is missing
 * @param from no key before this one was in it
 * @param to nor one behind this one
 * @param newest no later write than this one was in it
 * @param why what is wrong, for people
 */
public record Damage(
    String file, long offset, long bytes, byte[] from, byte[] to, long newest, String why) {
  /** Whether a version of a record may be hidden in it that is newer than the one found. */
  boolean mayHide(byte[] key, long found) {
    return newest > found && covers(key);
  }

  /** Whether a version of a record may be hidden in it. */
  boolean covers(byte[] key) {
    return Arrays.compareUnsigned(key, from) >= 0 && Arrays.compareUnsigned(key, to) <= 0;
  }

  /** Returns whether the other part follows directly in the same file. */
  boolean isBefore(Damage other) {
    return file.equals(other.file) && offset + bytes == other.offset && why.equals(other.why);
  }

  /** Returns both parts as one. */
  Damage plus(Damage next) {
    return new Damage(
        file, offset, bytes + next.bytes, from, next.to, Math.max(newest, next.newest), why);
  }
}
