package dev.reprise.device.error;

/** The protocol failed, or the other side ended it: the connection, a session or a link. */
public class ProtocolException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ProtocolException(ErrorDetails details) {
    super(details);
  }
}
