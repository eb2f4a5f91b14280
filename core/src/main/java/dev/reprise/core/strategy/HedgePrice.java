package dev.reprise.core.strategy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;

/** What a budget is asked to price when a hedge starts: nothing has failed, so the plain price. */
enum HedgePrice implements RetryInfo {
  INSTANCE;

  @Override
  public RetrySafety isRetrySafe() {
    return RetrySafety.YES;
  }
}
