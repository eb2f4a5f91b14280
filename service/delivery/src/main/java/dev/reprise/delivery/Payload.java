package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The content of a message. The arrays are shared, never copied: they must not be changed.
 *
 * @param contentType the media type of the body
 * @param attributes the attributes as one JSON object; empty if there are none
 * @param body the body's bytes
 * @param bodies bodies for single protocols as one JSON object, see {@link
 *     dev.reprise.delivery.body.MessageBodies}; empty if there are none
 * @param trace the trace that it was published in; null for none
 */
public record Payload(
    String contentType,
    byte[] attributes,
    byte[] body,
    byte[] bodies,
    @Nullable TraceContext trace) {
  private static final byte[] NOTHING = {};

  /**
   * The most that bodies and attributes may have together, in bytes, as Amazon SNS has it: 256 KB.
   */
  public static final int MAX_BYTES = 256 * 1024;

  /** Checks the size. */
  public Payload {
    long bytes = body.length + (long) attributes.length + bodies.length;
    if (bytes > MAX_BYTES) {
      throw new TooLargeException(bytes);
    }
  }

  /** A message with one body for all protocols. */
  public Payload(String contentType, byte[] attributes, byte[] body) {
    this(contentType, attributes, body, NOTHING);
  }

  /** A message that was published in no trace. */
  public Payload(String contentType, byte[] attributes, byte[] body, byte[] bodies) {
    this(contentType, attributes, body, bodies, null);
  }

  /** Returns the same content, published in this trace, or in none. */
  public Payload withTrace(@Nullable TraceContext newTrace) {
    return new Payload(contentType, attributes, body, bodies, newTrace);
  }

  /** The message is larger than {@link #MAX_BYTES}. */
  public static final class TooLargeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    TooLargeException(long bytes) {
      super(
          "message has "
              + bytes
              + " bytes of body and attributes: must have at most "
              + MAX_BYTES
              + " (256 KB)");
    }
  }
}
