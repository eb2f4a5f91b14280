package dev.reprise.endpoints.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.text.HarmlessText;
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

/** Logs in, and keeps the reason of a refusal, which the engine does not return. */
final class BrokerLogin implements SaslClientListener {
  private static final String PLAIN = "PLAIN";
  private static final String ANONYMOUS = "ANONYMOUS";
  private static final int MAX_OFFER_CHARS = 200;

  private final AmqpCarrierSettings settings;
  private boolean mechanismIsChosen;
  private @Nullable String refusal;

  BrokerLogin(AmqpCarrierSettings settings) {
    this.settings = settings;
  }

  /** Returns why the login was refused, on one line; null when it was not. */
  @Nullable String refusal() {
    return refusal;
  }

  /** Returns the mechanism that the settings ask for. */
  String mechanism() {
    return settings.username() == null ? ANONYMOUS : PLAIN;
  }

  @Override
  public void handleSaslMechanisms(SaslClientContext context, Symbol @Nullable [] offered) {
    List<String> known =
        offered == null ? List.of() : Arrays.stream(offered).map(String::valueOf).toList();
    if (!known.contains(mechanism())) {
      String names = HarmlessText.oneLine(String.join(", ", known), MAX_OFFER_CHARS);
      fail(context, "the broker offers no SASL " + mechanism() + ", but [" + names + "]");
      return;
    }
    mechanismIsChosen = true;
    context.sendChosenMechanism(Symbol.valueOf(mechanism()), null, buffer(first()));
  }

  private byte[] first() {
    var password = settings.password();
    // RFC 4616, section 2.
    return password == null
        ? new byte[0]
        : ("\0" + settings.username() + "\0" + password.reveal()).getBytes(UTF_8);
  }

  @Override
  public void handleSaslChallenge(SaslClientContext context, ProtonBuffer challenge) {
    fail(context, "the broker wants more than SASL " + mechanism() + " says");
  }

  @Override
  public void handleSaslOutcome(
      SaslClientContext context, SaslOutcome outcome, ProtonBuffer additional) {
    if (outcome != SaslOutcome.SASL_OK) {
      refusal = "login refused: SASL outcome " + named(outcome);
      return;
    }
    // The engine would wait for the broker to go on, which waits for us.
    if (!mechanismIsChosen) {
      refusal = "the broker ended the login before it had begun";
      throw new IllegalStateException(refusal);
    }
  }

  /** The codes and names of AMQP 1.0 part 5, section 5.3.3.6. */
  private static String named(SaslOutcome outcome) {
    return switch (outcome) {
      case SASL_OK -> "0 ok";
      case SASL_AUTH -> "1 auth (wrong username or password)";
      case SASL_SYS -> "2 sys (error of the broker)";
      case SASL_PERM -> "3 sys-perm (lasting error of the broker)";
      case SASL_TEMP -> "4 sys-temp (passing error of the broker)";
    };
  }

  private void fail(SaslClientContext context, String reason) {
    refusal = reason;
    context.saslFailure(new SaslException(reason));
  }

  private static ProtonBuffer buffer(byte[] bytes) {
    return ProtonBufferAllocator.defaultAllocator().copy(bytes);
  }
}
