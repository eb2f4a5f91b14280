/**
 * Signatures of webhooks after the specification <a
 * href="https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md">Standard
 * Webhooks 1.0.0</a>: {@link dev.reprise.webhook.WebhookSigner} for senders, {@link
 * dev.reprise.webhook.WebhookVerifier} and {@link dev.reprise.webhook.WebhookDeduplicator} for
 * receivers.
 *
 * <p>Symmetric keys ({@code whsec_}, HMAC-SHA256) work on every JDK. Asymmetric ones ({@code whsk_}
 * and {@code whpk_}, Ed25519) need a provider of Ed25519, which the JDK has in the module {@code
 * jdk.crypto.ec} before JDK 22 and in {@code java.base} since; where it is missing, reading such a
 * key throws {@link IllegalStateException}.
 */
@NullMarked
package dev.reprise.webhook;

import org.jspecify.annotations.NullMarked;
