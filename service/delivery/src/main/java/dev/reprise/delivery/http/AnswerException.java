package dev.reprise.delivery.http;

import java.io.IOException;

/** An endpoint answered with what is HTTP and yet no answer; the message follows its name. */
final class AnswerException extends IOException {
  private static final long serialVersionUID = 1L;

  private AnswerException(String message) {
    super(message);
  }

  /** It speaks another protocol from here on (RFC 9110, 15.2.2), without having been asked to. */
  static AnswerException switched() {
    return new AnswerException("switched protocols (status 101), which was not requested");
  }

  /** It sends interim responses without end. */
  static AnswerException interim() {
    return new AnswerException(
        "sent more than "
            + RequestStream.MAX_INTERIM_RESPONSES
            + " interim responses and no final one");
  }

  /** Its head is longer than the limit. */
  static AnswerException head(int maxBytes) {
    return new AnswerException("sent a response whose head has more than " + maxBytes + " bytes");
  }
}
