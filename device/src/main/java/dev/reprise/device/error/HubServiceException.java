package dev.reprise.device.error;

/** The hub answered, and refused what was asked. */
public class HubServiceException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public HubServiceException(ErrorDetails details) {
    super(details);
  }
}
