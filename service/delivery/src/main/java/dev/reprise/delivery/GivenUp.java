package dev.reprise.delivery;

import dev.reprise.core.StopReason;

/**
 * A delivery that has ended and was not delivered.
 *
 * @param subscription the subscription's number
 * @param message the message
 * @param attempts how many attempts were made
 * @param reason why there is no further one
 * @param summary what came of the last attempt, for people; an endpoint may have written of it
 */
public record GivenUp(
    long subscription, MessageId message, int attempts, StopReason reason, String summary) {}
