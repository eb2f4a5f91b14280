package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.InvalidSettingException;
import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the shared access signatures of Azure IoT Hub: tokens that say until when they hold, and
 * are signed with the key of the device (HMAC with SHA-256).
 *
 * <p>A token carries the time of the wall clock. Where the clock is late by more than the lifetime,
 * the hub refuses every token: the client tries again slowly, with a new token each time.
 *
 * <p>Immutable and thread-safe.
 */
public final class SharedAccessSignature implements CredentialSupplier {
  /** The lifetime of a token unless another is set: 1 hour. */
  public static final Duration DEFAULT_LIFETIME = Duration.ofHours(1);

  private static final String ALGORITHM = "HmacSHA256";

  /** The token counts in seconds. */
  private static final Duration MIN_LIFETIME = Duration.ofSeconds(1);

  private final String resourceUri;
  private final @Nullable String username;
  private final SecretKeySpec key;
  private final Duration lifetime;
  private final InstantSource clock;

  private SharedAccessSignature(
      String resourceUri,
      @Nullable String username,
      SecretKeySpec key,
      Duration lifetime,
      InstantSource clock) {
    this.resourceUri = resourceUri;
    this.username = username;
    this.key = key;
    this.lifetime = lifetime;
    this.clock = clock;
  }

  /**
   * Returns a supplier of tokens that hold for {@link #DEFAULT_LIFETIME}.
   *
   * @param resourceUri what the token gives access to, such as {@code
   *     example.azure-devices.net/devices/device-7}, not encoded
   * @param key the key of the device in Base64, as the hub shows it
   * @throws IllegalArgumentException when the key is empty or not Base64
   */
  public static SharedAccessSignature of(String resourceUri, String key) {
    return new SharedAccessSignature(
        Objects.requireNonNull(resourceUri, "resourceUri"),
        null,
        signingKey(key),
        DEFAULT_LIFETIME,
        InstantSource.system());
  }

  /** Returns this supplier with a user name beside each token. */
  public SharedAccessSignature withUsername(String username) {
    return new SharedAccessSignature(
        resourceUri, Objects.requireNonNull(username, "username"), key, lifetime, clock);
  }

  /**
   * Returns this supplier with tokens that hold this long; a fraction of a second is dropped.
   *
   * @throws IllegalArgumentException when it is below 1 second
   */
  public SharedAccessSignature withLifetime(Duration lifetime) {
    if (lifetime.compareTo(MIN_LIFETIME) < 0) {
      throw new InvalidSettingException("lifetime", lifetime, "must be >= " + MIN_LIFETIME);
    }
    return new SharedAccessSignature(
        resourceUri, username, key, Duration.ofSeconds(lifetime.toSeconds()), clock);
  }

  /** Returns this supplier with another wall clock. */
  public SharedAccessSignature withClock(InstantSource clock) {
    return new SharedAccessSignature(
        resourceUri, username, key, lifetime, Objects.requireNonNull(clock, "clock"));
  }

  @Override
  public boolean dependsOnClock() {
    return true;
  }

  @Override
  public CompletionStage<Credential> supply(@Nullable Credential refused) {
    try {
      long expiry = clock.instant().getEpochSecond() + lifetime.toSeconds();
      String token = token(expiry);
      // Asked twice within a second, the same time would give the token that was refused.
      if (refused != null && token.equals(refused.secret())) {
        token = token(expiry + 1);
      }
      return CompletableFuture.completedFuture(new Credential(username, token, lifetime));
    } catch (GeneralSecurityException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private String token(long expiryEpochSecond) throws GeneralSecurityException {
    String resource = URLEncoder.encode(resourceUri, UTF_8);
    Mac mac = Mac.getInstance(ALGORITHM);
    mac.init(key);
    byte[] signature = mac.doFinal((resource + "\n" + expiryEpochSecond).getBytes(UTF_8));
    return "SharedAccessSignature sr="
        + resource
        + "&sig="
        + URLEncoder.encode(Base64.getEncoder().encodeToString(signature), UTF_8)
        + "&se="
        + expiryEpochSecond;
  }

  private static SecretKeySpec signingKey(String key) {
    if (key.isEmpty()) {
      throw new InvalidSettingException("key", "empty", "must be the device's key in Base64");
    }
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(key);
    } catch (IllegalArgumentException messageShowsPartsOfTheKey) {
      throw new InvalidSettingException(
          "key", "not Base64", "must be the device's key as the hub shows it");
    }
    return new SecretKeySpec(bytes, ALGORITHM);
  }

  /** Leaves out the key. */
  @Override
  public String toString() {
    return "SharedAccessSignature[" + resourceUri + ", lifetime=" + lifetime + "]";
  }
}
