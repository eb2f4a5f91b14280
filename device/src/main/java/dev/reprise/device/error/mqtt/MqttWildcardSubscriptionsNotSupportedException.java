package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not offer wildcards in topic filters. */
public final class MqttWildcardSubscriptionsNotSupportedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttWildcardSubscriptionsNotSupportedException(ErrorDetails details) {
    super(details);
  }
}
