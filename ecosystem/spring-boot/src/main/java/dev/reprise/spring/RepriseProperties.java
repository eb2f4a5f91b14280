package dev.reprise.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code reprise.*}.
 *
 * @param retry the retries of this application by their names: lower-case letters, digits and
 *     dashes
 */
@ConfigurationProperties("reprise")
public record RepriseProperties(@DefaultValue Map<String, NamedRetry> retry) {

  /**
   * The properties of one retry. Each property is the field of a policy document that has its name,
   * and what is not said comes from {@code policy}. Durations are {@code 250ms}, {@code 10s},
   * {@code 4m} or ISO-8601.
   *
   * @param policy the name of a preset, such as {@code aws-standard}, or a whole policy document
   *     (JSON); {@code reprise-default} when not said
   * @param strategy {@code standard}, {@code adaptive} or {@code none}
   * @param maxAttempts how many attempts a call may make, the first one counted, or {@code
   *     unlimited}
   * @param backoff the delays of retries
   * @param throttleBackoff the delays of retries after a throttle
   * @param budget what pays for retries
   * @param hintCeiling the longest wait that the other side may ask for
   * @param deadline how long a call may take with all attempts and waits
   * @param attemptTimeout how long one attempt may take; attempts of blocking methods then run on
   *     other threads, outside of a transaction of the caller, with what beans of type {@code
   *     ContextCapture} carry of its context
   * @param hedging when attempts are started beside one that is slow; they run on other threads as
   *     with {@code attemptTimeout}
   * @param idempotent whether operations may be repeated although they may have taken effect
   */
  public record NamedRetry(
      @Nullable String policy,
      @Nullable String strategy,
      @Nullable String maxAttempts,
      @Nullable Map<String, Object> backoff,
      @Nullable Map<String, Object> throttleBackoff,
      @Nullable Map<String, Object> budget,
      @Nullable String hintCeiling,
      @Nullable String deadline,
      @Nullable String attemptTimeout,
      @Nullable Map<String, Object> hedging,
      @Nullable Boolean idempotent) {}
}
