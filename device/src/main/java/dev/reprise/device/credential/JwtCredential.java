package dev.reprise.device.credential;

import dev.reprise.core.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Supplies JSON Web Tokens (RFC 7519) as Google IoT Core and ClearBlade want them: for one
 * audience, signed with the key of the device, RS256 or ES256 as the key is.
 *
 * <p>A token carries the time of the wall clock. So that a clock a little ahead does not make it
 * seem to come from the future, it says that it was issued {@link #BACKDATED} earlier, and holds so
 * much less. The bridges allow about ten minutes of difference; where the clock is late by more,
 * they refuse every token, and the client tries again slowly, with a new one each time.
 *
 * <p>Immutable and thread-safe.
 */
public final class JwtCredential implements CredentialSupplier {
  /** The lifetime of a token from its time of issue unless another is set: 1 hour. */
  public static final Duration DEFAULT_LIFETIME = Duration.ofHours(1);

  /** The longest lifetime that the bridges accept. */
  public static final Duration MAX_LIFETIME = Duration.ofHours(24);

  /** The time by which a token is backdated. */
  public static final Duration BACKDATED = Duration.ofMinutes(1);

  /** Half of it is left when the token is made. */
  private static final Duration MIN_LIFETIME = BACKDATED.multipliedBy(2);

  private static final List<String> RESERVED_CLAIMS = List.of("aud", "iat", "exp");

  private final String audience;
  private final @Nullable String username;
  private final Map<String, Object> claims;
  private final PrivateKey key;
  private final Duration lifetime;
  private final InstantSource clock;

  private JwtCredential(
      String audience,
      @Nullable String username,
      Map<String, Object> claims,
      PrivateKey key,
      Duration lifetime,
      InstantSource clock) {
    this.audience = audience;
    this.username = username;
    this.claims = claims;
    this.key = key;
    this.lifetime = lifetime;
    this.clock = clock;
  }

  /**
   * Returns a supplier of tokens that hold for {@link #DEFAULT_LIFETIME}.
   *
   * @param audience whom the token is for: the id of the project
   * @param key the key of the device: RSA of 2048 bits or more, or EC on the curve P-256
   * @throws IllegalArgumentException when it is another kind of key
   */
  public static JwtCredential of(String audience, PrivateKey key) {
    SignedJwt.checkKey(key);
    return new JwtCredential(
        Objects.requireNonNull(audience, "audience"),
        null,
        Map.of(),
        key,
        DEFAULT_LIFETIME,
        InstantSource.system());
  }

  /**
   * Returns the same as {@link #of(String, PrivateKey)} with the key in a PEM file.
   *
   * @param key the file, with the key as unencrypted PKCS#8, PKCS#1 or SEC 1
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when it holds no such key
   */
  public static JwtCredential of(String audience, Path key) throws IOException {
    return of(audience, PemFile.read(key).privateKey());
  }

  /** Returns this supplier with a user name beside each token. */
  public JwtCredential withUsername(String username) {
    return new JwtCredential(
        audience, Objects.requireNonNull(username, "username"), claims, key, lifetime, clock);
  }

  /** Returns this supplier with one more claim in each token: a text. */
  public JwtCredential withClaim(String name, String value) {
    return withAnyClaim(name, Objects.requireNonNull(value, "value"));
  }

  /** Returns this supplier with one more claim in each token: a number. */
  public JwtCredential withClaim(String name, long value) {
    return withAnyClaim(name, value);
  }

  private JwtCredential withAnyClaim(String name, Object value) {
    // These say what the other settings say.
    if (RESERVED_CLAIMS.contains(name)) {
      throw new InvalidSettingException("claim", name, "must not be " + RESERVED_CLAIMS);
    }
    Map<String, Object> more = new LinkedHashMap<>(claims);
    more.put(name, value);
    return new JwtCredential(
        audience, username, Collections.unmodifiableMap(more), key, lifetime, clock);
  }

  /**
   * Returns this supplier with tokens that hold this long; a fraction of a second is dropped.
   *
   * @throws IllegalArgumentException when it is below 2 minutes or above {@link #MAX_LIFETIME}
   */
  public JwtCredential withLifetime(Duration lifetime) {
    if (lifetime.compareTo(MIN_LIFETIME) < 0 || lifetime.compareTo(MAX_LIFETIME) > 0) {
      throw new InvalidSettingException(
          "lifetime", lifetime, "must be " + MIN_LIFETIME + " to " + MAX_LIFETIME);
    }
    return new JwtCredential(
        audience, username, claims, key, Duration.ofSeconds(lifetime.toSeconds()), clock);
  }

  /** Returns this supplier with another wall clock. */
  public JwtCredential withClock(InstantSource clock) {
    return new JwtCredential(
        audience, username, claims, key, lifetime, Objects.requireNonNull(clock, "clock"));
  }

  @Override
  public boolean dependsOnClock() {
    return true;
  }

  @Override
  public CompletionStage<Credential> supply(@Nullable Credential refused) {
    try {
      Instant issuedAt = clock.instant().minus(BACKDATED);
      String token = token(issuedAt);
      // RS256 signs the same to the same; asked twice within a second, that is what was refused.
      if (refused != null && token.equals(refused.secret())) {
        token = token(issuedAt.minusSeconds(1));
      }
      return CompletableFuture.completedFuture(
          new Credential(username, token, lifetime.minus(BACKDATED)));
    } catch (GeneralSecurityException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private String token(Instant issuedAt) throws GeneralSecurityException {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("aud", audience);
    all.put("iat", issuedAt.getEpochSecond());
    all.put("exp", issuedAt.plus(lifetime).getEpochSecond());
    all.putAll(claims);
    return SignedJwt.sign(key, all);
  }

  /** Leaves out the key. */
  @Override
  public String toString() {
    return "JwtCredential[audience=" + audience + ", lifetime=" + lifetime + "]";
  }
}
