package dev.reprise.delivery;

/**
 * The content of a message. The arrays are shared, never copied: nobody may change them.
 *
 * @param contentType the media type of the body
 * @param attributes the attributes as one JSON object; empty if there are none
 * @param body the body's bytes
 */
public record Payload(String contentType, byte[] attributes, byte[] body) {
  /**
   * The most that body and attributes may have together, in bytes, as Amazon SNS has it: 256 KB.
   */
  public static final int MAX_BYTES = 256 * 1024;

  /** Checks the size. */
  public Payload {
    if (body.length + (long) attributes.length > MAX_BYTES) {
      throw new TooLargeException(body.length + (long) attributes.length);
    }
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
