/**
 * Retries: the words, backoffs, classifier, budgets, strategies, and {@code Retry}, which runs
 * operations under them. Needs nothing but the JDK.
 */
module dev.reprise.core {
  // Optional: images made by jlink may lack them. Classification and HTTP use them when present.
  requires static java.net.http;
  requires static java.sql;
  requires static org.jspecify;

  exports dev.reprise.core;
  exports dev.reprise.core.backoff;
  exports dev.reprise.core.budget;
  exports dev.reprise.core.classify;
  exports dev.reprise.core.http;
  exports dev.reprise.core.retry;
  exports dev.reprise.core.strategy;
  exports dev.reprise.core.timer;
}
