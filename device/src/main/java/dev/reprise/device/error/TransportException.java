package dev.reprise.device.error;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong between a device and the other side, in the same words for every protocol. It
 * says the same to the application as to the client: what {@link #isRetryable()} says is what the
 * client acts on. All of it is read from one table; see {@link DeviceErrors}.
 */
public class TransportException extends Exception implements RetryInfo, ErrorInfo {
  private static final long serialVersionUID = 1L;

  private final ErrorDetails details;

  /** Creates the exception; {@link DeviceErrors#exception} picks the class that the table names. */
  public TransportException(ErrorDetails details) {
    super(details.message(), details.cause());
    this.details = details;
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
