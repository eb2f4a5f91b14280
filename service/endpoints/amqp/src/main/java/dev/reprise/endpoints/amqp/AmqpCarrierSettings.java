package dev.reprise.endpoints.amqp;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a carrier that speaks AMQP 1.0.
 *
 * @param addresses the broker's, tried in this order
 * @param tls whether the connection is encrypted
 * @param authority the certificates that are trusted, as PEM; null for those of the JVM
 * @param username the name for the login; null without a login
 * @param password the password; null without a username
 * @param idleTimeout how long the broker may be silent before the connection counts as lost, 1 s to
 *     1 h
 * @param durable whether the broker is asked to keep messages over its own end
 */
record AmqpCarrierSettings(
    List<Address> addresses,
    boolean tls,
    @Nullable String authority,
    @Nullable String username,
    @Nullable Secret password,
    Duration idleTimeout,
    boolean durable) {
  private static final Duration MIN_IDLE = Duration.ofSeconds(1);
  private static final Duration MAX_IDLE = Duration.ofHours(1);

  AmqpCarrierSettings {
    // The password itself is never named in an error: the username stands for both.
    if ((username == null) != (password == null)) {
      throw new InvalidSettingException(
          "username", username, "must be there with password, and without it not");
    }
    if (authority != null && !tls) {
      throw new InvalidSettingException("tls", tls, "must be true where there is an authority");
    }
    if (idleTimeout.compareTo(MIN_IDLE) < 0 || idleTimeout.compareTo(MAX_IDLE) > 0) {
      throw new InvalidSettingException("idleTimeout", idleTimeout, "must be from 1s to 1h");
    }
  }
}
