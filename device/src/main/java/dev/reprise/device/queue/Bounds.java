package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decides whether there is, or can be made, room for one message more. */
record Bounds(int maxMessages, long maxBytes, DropPolicy dropPolicy) {
  static Bounds of(QueueSettings settings) {
    return new Bounds(settings.maxMessages(), settings.maxBytes(), settings.dropPolicy());
  }

  /** Returns whether one message more fits beside so many others. */
  boolean fits(Message message, int messages, long bytes) {
    return messages < maxMessages && bytes <= maxBytes - message.sizeBytes();
  }

  /** Returns the highest priority that may give way to the message, or null when none may. */
  @Nullable Priority highestToDrop(Message message) {
    return switch (dropPolicy) {
      case REJECT_NEW -> null;
      case DROP_OLDEST -> Priority.HIGH;
      case DROP_LOWEST_PRIORITY -> message.priority();
    };
  }

  /** Returns why the message is refused, or null when it fits or room can be made for it. */
  @Nullable String refusal(Message message, Tally tally) {
    // No drop helps a message that is too big for an empty queue.
    if (message.sizeBytes() > maxBytes) {
      return "sizeBytes is " + message.sizeBytes() + ": must be <= maxBytes, " + maxBytes;
    }
    if (fits(message, tally.messages(), tally.bytes())) {
      return null;
    }
    // To drop for nothing would be the worst of both.
    Priority highest = highestToDrop(message);
    int droppable = highest == null ? 0 : tally.waitingUpTo(highest);
    long droppableBytes = highest == null ? 0 : tally.waitingBytesUpTo(highest);
    if (fits(message, tally.messages() - droppable, tally.bytes() - droppableBytes)) {
      return null;
    }
    String full =
        tally.messages() - droppable >= maxMessages
            ? "messages is " + tally.messages() + ": must be < maxMessages, " + maxMessages
            : String.format(
                Locale.ROOT,
                "bytes is %d and sizeBytes %d: together must be <= maxBytes, %d",
                tally.bytes(),
                message.sizeBytes(),
                maxBytes);
    return full + "; " + dropPolicy + " may drop " + droppable + " that wait";
  }
}
