package dev.reprise.endpoints.email;

/** The steps of an attempt, in their order; each ends with a reply of the relay. */
enum SmtpStep {
  CONNECT("the request for a connection"),
  GREETING("the connection"),
  EHLO("EHLO"),
  STARTTLS("STARTTLS"),
  AUTH("AUTH"),
  MAIL("MAIL FROM"),
  RCPT("RCPT TO"),
  DATA("DATA"),
  /** The message is being sent; the relay is silent meanwhile. */
  CONTENT("the message"),
  /** The final dot was sent: the message may be taken at any moment. */
  END("the end of the message");

  private final String command;

  SmtpStep(String command) {
    this.command = command;
  }

  /** Returns whether nothing was said about the message or its mailbox so far. */
  boolean isBeforeMessage() {
    return compareTo(RCPT) < 0;
  }

  /** Returns whether some of the message was sent. */
  boolean hasContent() {
    return compareTo(CONTENT) >= 0;
  }

  /** Returns what was sent, for people. */
  String command() {
    return command;
  }
}
