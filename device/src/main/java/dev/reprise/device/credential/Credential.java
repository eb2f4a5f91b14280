package dev.reprise.device.credential;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The proof of a device's identity, beside a client certificate, which is part of the TLS settings.
 *
 * @param username the user name, or null
 * @param secret the password or token, or null; never printed
 * @param lifetime how long it is valid from when it was supplied, or null: for good
 */
public record Credential(
    @Nullable String username, @Nullable String secret, @Nullable Duration lifetime) {
  /**
   * No user name and no secret: the other side knows the device by its certificate, or not at all.
   */
  public static final Credential NONE = new Credential(null, null, null);

  /** Checks the lifetime; throws {@link IllegalArgumentException} when it is not above 0. */
  public Credential {
    if (lifetime != null && (lifetime.isNegative() || lifetime.isZero())) {
      throw new InvalidSettingException("lifetime", lifetime, "must be > 0");
    }
  }

  @Override
  public String toString() {
    return "Credential[username=" + username + ", lifetime=" + lifetime + "]";
  }
}
