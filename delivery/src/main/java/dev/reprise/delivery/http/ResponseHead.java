package dev.reprise.delivery.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response's head that the sender reads.
 *
 * @param status the status, 100 to 999
 * @param retryAfter all Retry-After headers as they came
 * @param date the Date header as it came; null without one
 */
record ResponseHead(int status, List<String> retryAfter, @Nullable String date) {}
