package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a check of a receiver.
 *
 * @param passed how many of them are right
 * @param failed how many are wrong
 * @param notChecked how many could not be checked
 */
@Described(name = "ReceiverCheck")
public record ReceiverCheckDocument(
    @Described("Everything that was looked at.") List<FindingDocument> checks,
    int passed,
    int failed,
    int notChecked) {
  /**
   * One finding.
   *
   * @param name of the thing that was looked at, such as {@code signature}
   */
  @Described(name = "ReceiverFinding")
  public record FindingDocument(
      @Described(oneOf = "accepted, signature, timestamp, repetition, timeout, body") String name,
      @Described(
              value = "Whether the receiver does right; null if that could not be seen.",
              orNull = true)
          @Nullable Boolean passed,
      @Described("A sentence with what happened, or why it was not checked.") String text) {}

  /** Counts the findings. */
  public static ReceiverCheckDocument of(List<FindingDocument> checks) {
    int passed = 0;
    int failed = 0;
    for (FindingDocument check : checks) {
      passed += Boolean.TRUE.equals(check.passed()) ? 1 : 0;
      failed += Boolean.FALSE.equals(check.passed()) ? 1 : 0;
    }
    return new ReceiverCheckDocument(checks, passed, failed, checks.size() - passed - failed);
  }
}
