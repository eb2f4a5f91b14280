package dev.reprise.core.strategy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;

/** The facts by which a budget prices a hedge: nothing has failed, so the plain price. */
enum HedgePrice implements RetryInfo {
  INSTANCE;

  @Override
  public RetrySafety isRetrySafe() {
    return RetrySafety.YES;
  }
}
