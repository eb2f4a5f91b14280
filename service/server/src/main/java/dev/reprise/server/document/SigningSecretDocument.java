package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import org.jspecify.annotations.Nullable;

/** A new secret by which deliveries are signed. */
@Described(name = "SigningSecret")
public record SigningSecretDocument(
    @Described(value = "In clear, this once; null for ed25519.", orNull = true)
        @Nullable String signingSecret,
    @Described("Of ed25519: for receivers to verify with.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String publicKey,
    @Described(
            value = "Until when the previous secret signs as well; absent if there was none.",
            kind = Kind.TIME)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String oldSigningUntil) {}
