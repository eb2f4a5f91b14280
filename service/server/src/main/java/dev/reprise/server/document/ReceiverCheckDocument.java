package dev.reprise.server.document;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a check of a receiver.
 *
 * @param checks each thing that was looked at
 * @param passed how many of them are right
 * @param failed how many are wrong
 * @param notChecked how many could not be checked
 */
public record ReceiverCheckDocument(
    List<FindingDocument> checks, int passed, int failed, int notChecked) {
  /**
   * One finding.
   *
   * @param name of the thing that was looked at, such as {@code signature}
   * @param passed whether the receiver does right; null if that could not be checked
   * @param text a sentence with what happened
   */
  public record FindingDocument(String name, @Nullable Boolean passed, String text) {}

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
