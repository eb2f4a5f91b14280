package dev.reprise.server.serve;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The duties of the node that has the cluster's catalog, at the start or later: a node that only
 * joins cannot write it. Run again and again, by one thread at a time.
 */
final class CatalogDuties implements Callable<Boolean>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogDuties.class);

  private final BooleanSupplier hasCatalog;
  private final Runnable duties;
  private volatile boolean closed;
  private boolean done;

  CatalogDuties(BooleanSupplier hasCatalog, Runnable duties) {
    this.hasCatalog = hasCatalog;
    this.duties = duties;
  }

  /** Does them if the catalog has come here since they were last done. Returns whether they are. */
  @Override
  public Boolean call() {
    if (closed || !hasCatalog.getAsBoolean()) {
      done = false;
    } else if (!done) {
      try {
        duties.run();
        done = true;
      } catch (RuntimeException e) {
        // The catalog may have gone to another node meanwhile, which does it then.
        LOG.info("the duties of the catalog's owner are not done yet: {}", e.getMessage());
      }
    }
    return done;
  }

  @Override
  public void close() {
    closed = true;
  }
}
