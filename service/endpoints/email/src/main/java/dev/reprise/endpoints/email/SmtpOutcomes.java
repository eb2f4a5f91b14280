package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.endpoints.email.SmtpConnection.Ending;
import java.util.List;

/** The outcomes of attempts of which something was said to the relay. */
final class SmtpOutcomes {
  private SmtpOutcomes() {}

  /** The relay has taken the message; bounces will name it by its Message-ID. */
  static AttemptOutcome taken(SmtpRun run, SmtpReply reply, String messageId) {
    return new AttemptOutcome(
            null, reply.code(), reply.toString(), run.address(), bytes(reply), run.elapsedNanos())
        .withReceiptIds(List.of(messageId));
  }

  /** The relay has refused the message or its mailbox. */
  static AttemptOutcome refused(
      SmtpRun run, SmtpStep step, SmtpReply reply, CarrierFailure failure) {
    return new AttemptOutcome(
        failure,
        reply.code(),
        inReplyTo(step, reply),
        run.address(),
        bytes(reply),
        run.elapsedNanos());
  }

  /** The connection broke. */
  static AttemptOutcome lost(SmtpRun run, Ending ending) {
    String summary =
        SmtpReply.line(ending.lost())
            + " (at "
            + ending.step().command()
            + ")"
            + doubt(ending.step());
    return run.outcome(broken(ending.step()), 0, summary);
  }

  /** The time was over. */
  static AttemptOutcome timedOut(SmtpRun run, SmtpStep step) {
    String summary =
        "no answer to " + step.command() + " in " + run.attempt().timeout().toSeconds() + " s";
    return run.outcome(CarrierFailure.TIMEOUT, 0, summary + doubt(step));
  }

  /** The carrier was closed in the middle. */
  static AttemptOutcome closed(SmtpRun run, SmtpStep step) {
    String summary = CarrierWindow.CLOSED.reason() + " (at " + step.command() + ")";
    return run.outcome(broken(step), 0, summary + doubt(step));
  }

  /** Returns a reply and what it was to, on one line for people. */
  static String inReplyTo(SmtpStep step, SmtpReply reply) {
    return reply + " (in reply to " + step.command() + ")";
  }

  /** Before the content is sent, nothing can have been taken. */
  private static CarrierFailure broken(SmtpStep step) {
    return isInDoubt(step) ? CarrierFailure.CONNECTION_LOST : CarrierFailure.TRANSIENT;
  }

  private static boolean isInDoubt(SmtpStep step) {
    return step == SmtpStep.END;
  }

  private static String doubt(SmtpStep step) {
    return isInDoubt(step) ? ": perhaps the message was taken" : "";
  }

  /** A line is shorter than what the attempt log keeps. */
  private static byte[] bytes(SmtpReply reply) {
    return reply.toString().getBytes(UTF_8);
  }
}
