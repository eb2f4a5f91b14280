package dev.reprise.webhook;

import java.time.Instant;

/**
 * The facts about a webhook that its signature has proved, together with its body.
 *
 * @param id the id of the message, the same in every attempt to deliver it
 * @param timestamp the time of this attempt by the clock of the sender, in whole seconds
 */
public record VerifiedWebhook(String id, Instant timestamp) {}
