package dev.reprise.device.transport.amqp;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Puts tokens in place by requests to the node {@code $cbs} and its responses. Only the answer to
 * the last token counts. Belongs to the loop.
 */
final class CbsLink {
  /** The node that takes the tokens. */
  static final String NODE = "$cbs";

  /** Receives the outcome of the last token. */
  interface Listener {
    void accepted();

    void refused(TransportException cause);
  }

  private static final int REQUEST_BYTES = 512;
  private static final int FIRST_ERROR_STATUS = 300;
  private static final String UNAUTHORIZED = "401";
  private static final String FORBIDDEN = "403";

  private final CbsSettings settings;
  private final Sender sender;
  private final Receiver receiver;
  private final String replyTo;
  private final Listener listener;
  private @Nullable Credential waiting;
  private int requests;

  CbsLink(
      CbsSettings settings, Sender sender, Receiver receiver, String replyTo, Listener listener) {
    this.settings = settings;
    this.sender = sender;
    this.receiver = receiver;
    this.replyTo = replyTo;
    this.listener = listener;
    sender
        .setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.SEQUENTIAL.createGenerator())
        .openHandler(link -> putWaiting())
        .creditStateUpdateHandler(link -> putWaiting())
        .deliveryStateUpdatedHandler(this::onOutcome)
        .open();
    receiver
        .openHandler(link -> putWaiting())
        .deliveryReadHandler(this::onResponse)
        .open()
        .addCredit(2);
  }

  /** Puts the secret of a credential in place, as soon as the node takes it. */
  void put(Credential credential) {
    waiting = credential;
    putWaiting();
  }

  private void putWaiting() {
    Credential credential = waiting;
    if (credential == null || !sender.isSendable() || !receiver.isRemotelyOpen()) {
      return;
    }
    waiting = null;
    requests++;
    ProtonBuffer request =
        MessageCodec.ofThisLoop()
            .encode(
                REQUEST_BYTES,
                new Properties().setMessageId(requestId()).setTo(NODE).setReplyTo(replyTo),
                new ApplicationProperties(
                    Map.of(
                        "operation", "put-token",
                        "type", settings.tokenType(),
                        "name", settings.audience())),
                new AmqpValue<>(Objects.requireNonNullElse(credential.secret(), "")));
    sender.next().writeBytes(request);
  }

  private String requestId() {
    return "put-token-" + requests;
  }

  private void onOutcome(OutgoingDelivery delivery) {
    delivery.settle();
    TransportException refusal =
        delivery.getRemoteState() == null ? null : AmqpErrors.refused(delivery.getRemoteState());
    if (refusal != null) {
      listener.refused(refusal);
    }
  }

  private void onResponse(IncomingDelivery delivery) {
    if (delivery.isPartial()) {
      return;
    }
    ProtonBuffer bytes = delivery.readAll();
    delivery.disposition(Accepted.getInstance(), true);
    receiver.addCredit(1);
    if (bytes == null) {
      return;
    }
    MessageCodec.Sections response;
    try {
      response = MessageCodec.ofThisLoop().decode(bytes);
    } catch (RuntimeException e) {
      // The decoder throws many things at what a peer made up.
      listener.refused(AmqpErrors.unreadable(e));
      return;
    }
    Properties properties = response.properties();
    Object answered = properties == null ? null : properties.getCorrelationId();
    // An answer to a token that another one has taken the place of.
    if (answered != null && !requestId().equals(answered.toString())) {
      return;
    }
    answer(response.applicationProperties());
  }

  private void answer(Map<String, Object> properties) {
    Object status = properties.get("status-code");
    if (status instanceof Number number && number.intValue() < FIRST_ERROR_STATUS) {
      listener.accepted();
      return;
    }
    // The codes are those of HTTP, says the working draft in section 3. But a 403 here does not
    // mean a quota to wait for: the token is wrong.
    String code = String.valueOf(status);
    listener.refused(
        DeviceErrors.exception(
            ErrorDetails.of(DeviceErrors.row("http", code.equals(FORBIDDEN) ? UNAUTHORIZED : code))
                .withMessage(
                    "the peer refused the token, "
                        + status
                        + " "
                        + properties.get("status-description"))));
  }
}
