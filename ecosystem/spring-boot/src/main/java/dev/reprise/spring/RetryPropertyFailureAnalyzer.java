package dev.reprise.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells in a start-up failure which properties to mend, instead of a stack trace. */
final class RetryPropertyFailureAnalyzer extends AbstractFailureAnalyzer<RetryPropertyException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, RetryPropertyException cause) {
    return new FailureAnalysis(
        cause.getMessage(), "Change the properties that are named above.", cause);
  }
}
