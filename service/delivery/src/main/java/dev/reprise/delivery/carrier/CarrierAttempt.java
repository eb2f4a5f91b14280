package dev.reprise.delivery.carrier;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Protocol;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/**
 * One attempt to make through a carrier.
 *
 * @param message the message; the same at every attempt
 * @param attempt the number of this attempt, from 1
 * @param topic the topic's name
 * @param subscription the subscription's id, such as {@code orders-7}
 * @param protocol the protocol
 * @param endpoint the subscription's endpoint: a phone number, a mailbox, a queue, a function
 * @param content what to send
 * @param attributes the message's attributes: an object whose values are strings, numbers, true,
 *     false, null, or arrays of them
 * @param timeout the longest time of the attempt, from {@link Carrier#send} to its outcome
 * @param mayBegin asked right before the first byte of the attempt is sent; {@link
 *     AttemptOutcome#MAY_NOT_BEGIN} if it says no
 */
public record CarrierAttempt(
    MessageId message,
    int attempt,
    String topic,
    String subscription,
    Protocol protocol,
    String endpoint,
    CarrierContent content,
    JsonNode attributes,
    Duration timeout,
    BooleanSupplier mayBegin) {}
