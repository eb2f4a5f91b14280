package dev.reprise.device.error;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An error between a device and its server, in the same words for every protocol. Applications tell
 * errors apart by {@link #kind}, {@link #name} and {@link #code}, all of which come from one table
 * (see {@link DeviceErrors}); the client acts on the same values that it shows.
 */
public class TransportException extends Exception implements RetryInfo, ErrorInfo {
  private static final long serialVersionUID = 1L;

  private final ErrorDetails details;

  /** Creates the exception; {@link DeviceErrors#exception} picks the class for a protocol. */
  public TransportException(ErrorDetails details) {
    super(details.message(), details.cause());
    this.details = details;
  }

  /** Returns the name of the error in the table, such as {@code MqttServerUnavailable}. */
  public final String name() {
    return details.row().name();
  }

  /** Returns whether trying again can help. */
  public final boolean isRetryable() {
    return details.row().retryable();
  }

  /** Returns what sort of thing went wrong. */
  public final ErrorKind kind() {
    return details.row().kind();
  }

  /** Returns how much of the client it concerns. */
  public final ErrorScope scope() {
    return details.row().scope();
  }

  /** Returns where the code comes from, such as {@code mqtt5-connack} or {@code amqp}. */
  public final String protocol() {
    return details.row().protocol();
  }

  /** Returns the code as the protocol writes it. */
  public final String code() {
    return details.row().code();
  }

  /** Returns the server to go to instead, as {@code host:port} or {@code host}, or null. */
  public final @Nullable String serverReference() {
    return details.serverReference();
  }

  @Override
  public final RetrySafety isRetrySafe() {
    return isRetryable() ? RetrySafety.YES : RetrySafety.NO;
  }

  @Override
  public final boolean isThrottle() {
    return kind() == ErrorKind.THROTTLE;
  }

  @Override
  public final boolean isTimeout() {
    return kind() == ErrorKind.TIMEOUT;
  }

  @Override
  public final @Nullable Duration retryAfter() {
    return details.retryAfter();
  }

  @Override
  public final ErrorFault fault() {
    return switch (kind()) {
      case CLIENT, CREDENTIAL, THROTTLE, QUOTA -> ErrorFault.CLIENT;
      case SERVER -> ErrorFault.SERVER;
      case NETWORK, TIMEOUT, UNKNOWN -> ErrorFault.OTHER;
    };
  }
}
