package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;

/** The facts of a result that {@link RetryBuilder#retryOnResult} rejects. */
enum MeetsCondition implements RetryInfo {
  INSTANCE;

  @Override
  public RetrySafety isRetrySafe() {
    return RetrySafety.YES;
  }

  @Override
  public String toString() {
    return "it meets the condition of retryOnResult";
  }
}
