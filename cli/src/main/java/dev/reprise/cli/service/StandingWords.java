package dev.reprise.cli.service;

import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.document.SubscriptionDocument.LastOutcomeDocument;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether the endpoint of a subscription fails, since when, and the last outcome, in words. */
final class StandingWords {
  private static final int SUMMARY_WIDTH = 32;

  private StandingWords() {}

  /** Returns since when it fails, to the second, with the last outcome; empty if it does not. */
  static Cell failing(SubscriptionDocument subscription) {
    LastOutcomeDocument last = subscription.lastOutcome();
    String since = failingSince(subscription).text().replaceFirst("\\.\\d+", "");
    return new Cell(
        since.isEmpty() || last == null
            ? since
            : since + ": " + Words.shortened(last.summary(), SUMMARY_WIDTH),
        Style.BAD);
  }

  /** Returns since when it fails; empty if it does not. */
  static Cell failingSince(SubscriptionDocument subscription) {
    return new Cell(Objects.requireNonNullElse(subscription.failingSince(), ""), Style.BAD);
  }

  /** Returns the last attempt that ended; null if none has. */
  static @Nullable String lastOutcome(SubscriptionDocument subscription) {
    LastOutcomeDocument last = subscription.lastOutcome();
    return last == null ? null : last.summary() + " (" + last.outcome() + ") at " + last.at();
  }
}
