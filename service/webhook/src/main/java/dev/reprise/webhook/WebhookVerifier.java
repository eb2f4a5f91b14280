package dev.reprise.webhook;

import dev.reprise.webhook.WebhookVerificationException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Verifies that a request is a webhook of a known sender, unchanged and recent. Immutable and
 * thread-safe.
 *
 * <p>The body must be the bytes that came: a body that was read as JSON and written again is
 * another one. A repetition within the tolerance is not refused; {@link WebhookDeduplicator} or a
 * unique key in a database finds it by the id.
 */
public final class WebhookVerifier {
  /** The most signatures of a request that are looked at, 16; each may cost a verification. */
  public static final int MAX_SIGNATURES = 16;

  /** The difference to the sender's clock that is tolerated unless another is set: 5 minutes. */
  public static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

  /** The number as the sender wrote it, so that it has one spelling; 18 digits fit a long. */
  private static final Pattern TIMESTAMP = Pattern.compile("0|[1-9][0-9]{0,17}");

  private final List<VerifyingKey> keys;
  private final long toleranceSeconds;
  private final InstantSource clock;

  private WebhookVerifier(Builder builder) {
    keys = builder.keys;
    toleranceSeconds = builder.tolerance.toSeconds();
    clock = builder.clock;
  }

  /**
   * Returns a verifier with a tolerance of 5 minutes and the system's clock.
   *
   * @param keys what the sender has given: secrets ({@code whsec_…}) and public keys ({@code
   *     whpk_…}); several while one is replaced
   * @throws IllegalArgumentException if there is none, or one is not such a key; the message does
   *     not show it
   * @throws IllegalStateException if one is a public key and the JVM has no provider of Ed25519
   */
  public static WebhookVerifier of(String... keys) {
    return builder(keys).build();
  }

  /**
   * Returns a builder for a verifier with another tolerance or clock.
   *
   * @param keys as {@link #of} takes them
   */
  public static Builder builder(String... keys) {
    if (keys.length == 0) {
      throw new IllegalArgumentException("keys is empty: must have at least one");
    }
    return new Builder(Arrays.stream(keys).map(VerifyingKey::parse).toList());
  }

  /**
   * Verifies a request.
   *
   * @param header gives the value of a header, or null when it is absent. It is asked for the names
   *     in {@link WebhookHeaders} and must ignore their case, as {@code
   *     HttpServletRequest::getHeader} and {@code Headers::getFirst} do
   * @param body the body as it came, byte for byte; it is not kept
   * @throws WebhookVerificationException if the request is refused, with the reason
   */
  public VerifiedWebhook verify(Function<String, @Nullable String> header, byte[] body)
      throws WebhookVerificationException {
    Objects.requireNonNull(body, "body");
    String id = required(header, WebhookHeaders.ID);
    String timestampText = required(header, WebhookHeaders.TIMESTAMP);
    String signatures = required(header, WebhookHeaders.SIGNATURE);
    if (!SignedContent.isId(id)) {
      throw new WebhookVerificationException(
          Reason.MALFORMED_ID, WebhookHeaders.ID + " " + SignedContent.ID_RULE);
    }
    long timestampSeconds = timestamp(timestampText);
    byte[] prefix = SignedContent.prefix(id, timestampSeconds);
    List<String> first = firstOf(signatures);
    for (VerifyingKey key : keys) {
      if (key.madeOneOf(first, prefix, body)) {
        return new VerifiedWebhook(id, Instant.ofEpochSecond(timestampSeconds));
      }
    }
    throw new WebhookVerificationException(
        Reason.NO_MATCHING_SIGNATURE,
        WebhookHeaders.SIGNATURE + " must have a signature of this message by a known key");
  }

  /**
   * Verifies a request whose headers are a map, such as {@code HttpHeaders.map()}. Case is ignored;
   * of several values the first counts.
   *
   * @param headers the values by name
   * @param body the body as it came, byte for byte; it is not kept
   * @throws WebhookVerificationException if the request is refused, with the reason
   */
  public VerifiedWebhook verify(Map<String, List<String>> headers, byte[] body)
      throws WebhookVerificationException {
    return verify(name -> firstValue(headers, name), body);
  }

  private static @Nullable String firstValue(Map<String, List<String>> headers, String name) {
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      // URLConnection has the status line under the name null.
      if (name.equalsIgnoreCase(header.getKey())) {
        List<String> values = header.getValue();
        return values == null || values.isEmpty() ? null : values.get(0);
      }
    }
    return null;
  }

  private static String required(Function<String, @Nullable String> header, String name)
      throws WebhookVerificationException {
    String value = header.apply(name);
    if (value == null) {
      throw new WebhookVerificationException(Reason.MISSING_HEADER, name + " is missing");
    }
    return value;
  }

  private long timestamp(String text) throws WebhookVerificationException {
    if (!TIMESTAMP.matcher(text).matches()) {
      throw new WebhookVerificationException(
          Reason.MALFORMED_TIMESTAMP,
          WebhookHeaders.TIMESTAMP + " must be whole seconds since 1970, in at most 18 digits");
    }
    long timestampSeconds = Long.parseLong(text);
    long nowSeconds = clock.instant().getEpochSecond();
    if (timestampSeconds < nowSeconds - toleranceSeconds) {
      throw new WebhookVerificationException(Reason.TOO_OLD, tooFar(timestampSeconds, nowSeconds));
    }
    if (timestampSeconds > nowSeconds + toleranceSeconds) {
      throw new WebhookVerificationException(Reason.TOO_NEW, tooFar(timestampSeconds, nowSeconds));
    }
    return timestampSeconds;
  }

  private String tooFar(long timestampSeconds, long nowSeconds) {
    return WebhookHeaders.TIMESTAMP
        + (" is " + timestampSeconds + ": must be within " + toleranceSeconds)
        + (" s of this receiver's " + nowSeconds);
  }

  /** Returns the first signatures of the list, of whatever version. */
  private static List<String> firstOf(String signatures) {
    List<String> first = new ArrayList<>(2);
    int start = 0;
    while (start < signatures.length() && first.size() < MAX_SIGNATURES) {
      int space = signatures.indexOf(' ', start);
      int end = space < 0 ? signatures.length() : space;
      if (end > start) {
        first.add(signatures.substring(start, end));
      }
      start = end + 1;
    }
    return first;
  }

  /** Sets up a verifier. Not thread-safe. */
  public static final class Builder {
    private static final Duration MIN_TOLERANCE = Duration.ofSeconds(1);
    private static final Duration MAX_TOLERANCE = Duration.ofDays(1);

    private final List<VerifyingKey> keys;
    private Duration tolerance = DEFAULT_TOLERANCE;
    private InstantSource clock = InstantSource.system();

    private Builder(List<VerifyingKey> keys) {
      this.keys = keys;
    }

    /**
     * Sets by how much the time of an attempt may differ from that of the clock, in either
     * direction; 5 minutes by default, as the reference libraries have it.
     *
     * @param tolerance 1 second to 1 day; fractions of a second are dropped
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder tolerance(Duration tolerance) {
      if (tolerance.compareTo(MIN_TOLERANCE) < 0 || tolerance.compareTo(MAX_TOLERANCE) > 0) {
        throw new IllegalArgumentException(
            "tolerance is " + tolerance + ": must be from " + MIN_TOLERANCE + " to P1D");
      }
      this.tolerance = tolerance;
      return this;
    }

    /** Sets the clock; the system's by default. */
    public Builder clock(InstantSource clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /** Returns the verifier. */
    public WebhookVerifier build() {
      return new WebhookVerifier(this);
    }
  }
}
