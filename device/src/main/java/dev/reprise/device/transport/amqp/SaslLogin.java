package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.security.sasl.SaslException;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.sasl.SaslClientContext;
import org.apache.qpid.protonj2.engine.sasl.SaslClientListener;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.types.Symbol;
import org.jspecify.annotations.Nullable;

/**
 * Says who the device is with the first mechanism that the server offers of those that its settings
 * and its credential allow. Remembers why it was refused, which the engine does not tell.
 */
final class SaslLogin implements SaslClientListener {
  private static final String PROTOCOL = "amqp-sasl";
  private static final int NONCE_BYTES = 24;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final List<SaslMechanism> mechanisms;
  private final String username;
  private final String secret;
  private final String host;
  private boolean mechanismIsChosen;
  private @Nullable Scram scram;
  private @Nullable TransportException failure;

  SaslLogin(AmqpSettings settings, Credential credential, String host) {
    this.host = host;
    this.username = Objects.requireNonNullElse(credential.username(), "");
    this.secret = Objects.requireNonNullElse(credential.secret(), "");
    this.mechanisms = mechanisms(settings, credential);
  }

  private static List<SaslMechanism> mechanisms(AmqpSettings settings, Credential credential) {
    SaslMechanism only = settings.sasl();
    if (only != null) {
      return List.of(only);
    }

    // The token follows when the connection is open.
    if (settings.cbs() != null) {
      return List.of(SaslMechanism.ANONYMOUS);
    }

    if (credential.secret() != null) {
      return ofSecret(credential.username() != null, settings.tls() != null);
    }

    // A server may ask for the certificate in TLS, and for nothing more in SASL.
    if (settings.tls() != null && settings.tls().keys() != null) {
      return List.of(SaslMechanism.EXTERNAL, SaslMechanism.ANONYMOUS);
    }

    return List.of(SaslMechanism.ANONYMOUS);
  }

  private static List<SaslMechanism> ofSecret(boolean hasName, boolean isEncrypted) {
    List<SaslMechanism> all = new ArrayList<>();
    if (hasName) {
      all.addAll(SaslMechanism.SCRAM);
    }
    // TLS keeps the password secret, and a server that offers SCRAM may not have it set up for all
    // users.
    all.add(isEncrypted ? 0 : all.size(), SaslMechanism.PLAIN);
    return all;
  }

  /** Returns why the login failed, or null when it did not. */
  @Nullable TransportException failure() {
    return failure;
  }

  @Override
  public void handleSaslMechanisms(SaslClientContext context, Symbol[] offered) {
    List<String> known =
        offered == null ? List.of() : Arrays.stream(offered).map(String::valueOf).toList();
    for (SaslMechanism mechanism : mechanisms) {
      if (known.contains(mechanism.registeredName())) {
        mechanismIsChosen = true;
        context.sendChosenMechanism(
            Symbol.valueOf(mechanism.registeredName()), host, buffer(first(mechanism)));
        return;
      }
    }
    fail(
        context,
        "no-mechanism",
        "the peer offers "
            + known
            + ", the device needs "
            + mechanisms.stream().map(SaslMechanism::registeredName).toList());
  }

  private byte[] first(SaslMechanism mechanism) {
    return switch (mechanism) {
      case ANONYMOUS, EXTERNAL -> new byte[0];
      // RFC 4616, section 2.
      case PLAIN -> ("\0" + username + "\0" + secret).getBytes(UTF_8);
      case SCRAM_SHA_1, SCRAM_SHA_256, SCRAM_SHA_512 -> {
        Scram begun = new Scram(mechanism.registeredName(), username, secret, nonce());
        scram = begun;
        yield begun.first();
      }
    };
  }

  private static String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  @Override
  public void handleSaslChallenge(SaslClientContext context, ProtonBuffer challenge) {
    Scram begun = scram;
    if (begun == null) {
      fail(context, "no-mechanism", "the peer wants more than the device's mechanism says");
      return;
    }
    try {
      context.sendResponse(buffer(begun.answer(bytes(challenge))));
    } catch (SaslException e) {
      failure = AmqpErrors.unreadable(e);
      context.saslFailure(e);
    }
  }

  @Override
  public void handleSaslOutcome(
      SaslClientContext context, SaslOutcome outcome, ProtonBuffer additional) {
    if (outcome != SaslOutcome.SASL_OK) {
      failure = failure(outcome.saslCode().getValue().toString(), "the peer refused the login");
      return;
    }
    // The engine would wait for the peer to go on, which waits for the device.
    if (!mechanismIsChosen) {
      throw refused(new SaslException("the peer let the device in without a login"));
    }
    verify(additional);
  }

  /** Its proof comes with the last challenge, or else with the outcome. */
  private void verify(@Nullable ProtonBuffer additional) {
    Scram begun = scram;
    if (begun == null || begun.isVerified()) {
      return;
    }
    try {
      byte[] unused = begun.answer(bytes(additional));
    } catch (SaslException e) {
      throw refused(e);
    }
    if (!begun.isVerified()) {
      throw refused(new SaslException("the peer has not proved that it knows the password"));
    }
  }

  /** Once there is an outcome, the engine fails by an exception and by no other means. */
  private IllegalStateException refused(SaslException cause) {
    failure = AmqpErrors.unreadable(cause);
    return new IllegalStateException(cause);
  }

  private void fail(SaslClientContext context, String code, String message) {
    failure = failure(code, message);
    context.saslFailure(new SaslException(message));
  }

  private static ProtonBuffer buffer(byte[] bytes) {
    return ProtonBufferAllocator.defaultAllocator().copy(bytes);
  }

  private static byte[] bytes(@Nullable ProtonBuffer buffer) {
    byte[] bytes = new byte[buffer == null ? 0 : buffer.getReadableBytes()];
    if (buffer != null) {
      buffer.readBytes(bytes, 0, bytes.length);
    }
    return bytes;
  }

  private static TransportException failure(String code, String message) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row(PROTOCOL, code)).withMessage(message));
  }
}
