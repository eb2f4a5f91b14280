package dev.reprise.core.http;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryListener;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Notes why the last response of one request is given back, and says so in the log where it
 * surprises: a wait that was too long for us looks like no retry at all.
 */
final class GivenBack implements RetryListener {
  private static final Logger LOG = System.getLogger("dev.reprise.core.http");

  private final AtomicBoolean told;
  private volatile @Nullable StopReason reason;

  /**
   * Creates the note of a request.
   *
   * @param told whether the sender has logged it before; then it is logged at debug level only
   */
  GivenBack(AtomicBoolean told) {
    this.told = told;
  }

  @Override
  public void onAttempt(RetryEvent event) {
    if (event.kind() == RetryEvent.Kind.STOP) {
      reason = event.stopReason();
      if (reason == StopReason.HINT_TOO_LONG) {
        LOG.log(
            told.getAndSet(true) ? Level.DEBUG : Level.INFO,
            () ->
                event.name()
                    + ": a response of "
                    + event.operation().scope()
                    + " is given back and not retried, for it asks for a longer wait than"
                    + " hintCeiling; "
                    + describe(event.failure())
                    + ". RetryingHttpSender.stopReason tells it of a response; this is logged once,"
                    + " later ones at DEBUG");
      }
    }
  }

  private static String describe(@Nullable Throwable failure) {
    return failure == null ? "" : String.valueOf(failure.getMessage());
  }

  /** Returns why the last attempt was the last; null after a success. */
  @Nullable StopReason reason() {
    return reason;
  }
}
