package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * A new secret by which deliveries are signed.
 *
 * @param signingSecret in clear, this once; null for a private key, which no receiver needs
 * @param publicKey of a private key: what receivers verify with; absent for a shared secret
 * @param oldSigningUntil until when the previous secret signs as well, in RFC 3339; absent if there
 *     was none
 */
public record SigningSecretDocument(
    @Nullable String signingSecret,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String publicKey,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String oldSigningUntil) {}
