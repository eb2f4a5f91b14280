package dev.reprise.smithy.runtime;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Bytes of a member. Immutable and thread-safe. */
public final class Blob implements Serializable {
  private static final long serialVersionUID = 1L;

  private final byte[] bytes;

  private Blob(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the bytes as they are now: a later change of the array changes nothing here. */
  public static Blob of(byte[] bytes) {
    return new Blob(bytes.clone());
  }

  /**
   * Returns the bytes that a text in base64 stands for.
   *
   * @throws IllegalArgumentException if the text is not base64
   */
  public static Blob ofBase64(String text) {
    return new Blob(Base64.getDecoder().decode(text));
  }

  /** Returns a copy of the bytes. */
  public byte[] toByteArray() {
    return bytes.clone();
  }

  /** Returns how many bytes these are. */
  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Blob that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns how many bytes these are, and none of them. */
  @Override
  public String toString() {
    return "Blob[" + bytes.length + " bytes]";
  }
}
