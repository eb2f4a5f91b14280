package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import java.util.Arrays;
import java.util.List;
import javax.security.sasl.SaslException;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.sasl.SaslClientContext;
import org.apache.qpid.protonj2.engine.sasl.SaslClientListener;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.types.Symbol;
import org.jspecify.annotations.Nullable;

/**
 * Says who the device is with the one mechanism that its credential is made for. All of them say it
 * in their first response. Remembers why it was refused, which the engine does not tell.
 */
final class SaslLogin implements SaslClientListener {
  private static final String PROTOCOL = "amqp-sasl";
  private static final Symbol ANONYMOUS = Symbol.valueOf("ANONYMOUS");
  private static final Symbol EXTERNAL = Symbol.valueOf("EXTERNAL");
  private static final Symbol PLAIN = Symbol.valueOf("PLAIN");

  private final List<Symbol> mechanisms;
  private final byte[] plain;
  private final String host;
  private boolean mechanismIsChosen;
  private @Nullable TransportException failure;

  SaslLogin(AmqpSettings settings, Credential credential, String host) {
    this.host = host;
    this.plain = plain(credential);
    this.mechanisms = mechanisms(settings, credential);
  }

  private static List<Symbol> mechanisms(AmqpSettings settings, Credential credential) {
    // The token follows when the connection is open.
    if (settings.cbs() != null) {
      return List.of(ANONYMOUS);
    }

    if (credential.secret() != null) {
      return List.of(PLAIN);
    }

    // A server may ask for the certificate in TLS, and for nothing more in SASL.
    if (settings.tls() != null && settings.tls().keys() != null) {
      return List.of(EXTERNAL, ANONYMOUS);
    }

    return List.of(ANONYMOUS);
  }

  /** RFC 4616, section 2. */
  private static byte[] plain(Credential credential) {
    String user = credential.username() == null ? "" : credential.username();
    String secret = credential.secret() == null ? "" : credential.secret();
    return ("\0" + user + "\0" + secret).getBytes(UTF_8);
  }

  /** Returns why the login failed, or null when it did not. */
  @Nullable TransportException failure() {
    return failure;
  }

  @Override
  public void handleSaslMechanisms(SaslClientContext context, Symbol[] offered) {
    List<Symbol> known = offered == null ? List.of() : Arrays.asList(offered);
    for (Symbol mechanism : mechanisms) {
      if (known.contains(mechanism)) {
        byte[] response = mechanism.equals(PLAIN) ? plain : new byte[0];
        mechanismIsChosen = true;
        context.sendChosenMechanism(
            mechanism, host, ProtonBufferAllocator.defaultAllocator().copy(response));
        return;
      }
    }
    fail(context, "no-mechanism", "the peer offers " + known + ", the device needs " + mechanisms);
  }

  @Override
  public void handleSaslChallenge(SaslClientContext context, ProtonBuffer challenge) {
    fail(context, "no-mechanism", "the peer wants more than " + mechanisms + " say");
  }

  @Override
  public void handleSaslOutcome(
      SaslClientContext context, SaslOutcome outcome, ProtonBuffer additional) {
    // The engine would wait for the peer to go on, which waits for the device. It fails when this
    // throws, and by no other means once there is an outcome.
    if (outcome == SaslOutcome.SASL_OK && !mechanismIsChosen) {
      IllegalStateException early =
          new IllegalStateException("the peer let the device in without a login");
      failure = AmqpErrors.unreadable(early);
      throw early;
    }
    if (outcome != SaslOutcome.SASL_OK) {
      failure = failure(outcome.saslCode().getValue().toString(), "the peer refused the login");
    }
  }

  private void fail(SaslClientContext context, String code, String message) {
    failure = failure(code, message);
    context.saslFailure(new SaslException(message));
  }

  private static TransportException failure(String code, String message) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row(PROTOCOL, code)).withMessage(message));
  }
}
