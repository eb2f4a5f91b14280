package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt is due when it is.
 *
 * @param kind {@code first}, {@code retry}, {@code redrive} or {@code requested}
 * @param stage of the policy that the retry is in
 */
@Described(name = "DueEvent")
public record DueDocument(
    @Described("One sentence: stage, delay, hint.") String reason,
    @Described(oneOf = "first, retry, redrive, requested, held") String kind,
    @Described("Which retry of the schedule, from 1; 0 unless kind is retry.") int retry,
    @Described(oneOf = "immediate, minDelay, backoff, maxDelay") String stage,
    @Described("What the policy asked to wait.") long backoffMillis,
    @Described(
            value = "What the endpoint asked to wait (Retry-After); null if it did not.",
            orNull = true)
        @Nullable Long hintMillis) {}
