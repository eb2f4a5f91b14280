package dev.reprise.device.transport.amqp;

import dev.reprise.device.message.Command;
import dev.reprise.device.transport.CommandReply;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The link that commands are read from. Belongs to the loop. */
final class CommandLink {
  private static final Logger LOG = LoggerFactory.getLogger(CommandLink.class);

  // Commands that were read and not replied to hold back the next ones.
  private static final int WINDOW = 16;

  private final Executor loop;
  private final Receiver receiver;
  private final String address;
  private final BiConsumer<Command, CommandReply> onCommand;
  private int spentCredit;
  private boolean ended;

  CommandLink(
      Executor loop,
      Receiver receiver,
      String address,
      BiConsumer<Command, CommandReply> onCommand) {
    this.loop = loop;
    this.receiver = receiver;
    this.address = address;
    this.onCommand = onCommand;
    receiver
        .deliveryReadHandler(this::onDelivery)
        .deliveryAbortedHandler(delivery -> settle(delivery, Accepted.getInstance()))
        .open()
        .addCredit(WINDOW);
  }

  /** Returns whether the peer attached the link; one that it refuses has no source. */
  boolean isGranted() {
    return receiver.isRemotelyOpen() && receiver.getRemoteSource() != null;
  }

  void end() {
    ended = true;
  }

  /** Answers the end of a link that the peer refused, on a connection that stays up. */
  void close() {
    end();
    receiver.close();
  }

  private void onDelivery(IncomingDelivery delivery) {
    if (delivery.isPartial() || ended) {
      return;
    }
    Command command;
    try {
      ProtonBuffer bytes = delivery.readAll();
      MessageCodec codec = MessageCodec.ofThisLoop();
      command =
          MessageCodec.command(
              address,
              codec.decode(
                  bytes == null ? ProtonBufferAllocator.defaultAllocator().allocate(0) : bytes));
    } catch (RuntimeException e) {
      // Whatever the decoder throws at what a peer made up: it must not cost the connection.
      LOG.warn("A command from {} cannot be read, and is rejected", address, e);
      settle(delivery, new Rejected(new ErrorCondition("amqp:decode-error", e.getMessage())));
      return;
    }
    onCommand.accept(command, handled -> loop.execute(() -> reply(delivery, handled)));
  }

  private void reply(IncomingDelivery delivery, boolean handled) {
    settle(delivery, handled ? Accepted.getInstance() : failed());
  }

  /**
   * Modified makes the peer count the failure, so that a command that always fails does not come
   * back without end; a peer that does not offer it gets the command back.
   */
  private DeliveryState failed() {
    Source source = receiver.getRemoteSource();
    Symbol[] outcomes = source == null ? null : source.getOutcomes();
    return outcomes != null && List.of(outcomes).contains(Modified.DESCRIPTOR_SYMBOL)
        ? new Modified(true, false)
        : Released.getInstance();
  }

  private void settle(IncomingDelivery delivery, DeliveryState state) {
    if (ended || delivery.isSettled()) {
      return;
    }
    delivery.disposition(state, true);
    spentCredit++;
    if (spentCredit >= WINDOW / 2) {
      receiver.addCredit(spentCredit);
      spentCredit = 0;
    }
  }
}
