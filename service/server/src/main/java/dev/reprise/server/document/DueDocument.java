package dev.reprise.server.document;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt is due when it is.
 *
 * @param reason in words
 * @param kind {@code first}, {@code retry}, {@code redrive} or {@code requested}
 * @param retry the number of the retry, 0 for a first attempt
 * @param stage of the policy that the retry is in
 * @param backoffMillis the delay that the policy computed
 * @param hintMillis the delay that the endpoint asked for; null if it asked for none
 */
public record DueDocument(
    String reason,
    String kind,
    int retry,
    String stage,
    long backoffMillis,
    @Nullable Long hintMillis) {}
