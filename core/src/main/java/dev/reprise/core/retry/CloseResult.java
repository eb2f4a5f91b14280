package dev.reprise.core.retry;

import java.util.function.Consumer;

/** Closes a result that nobody will get, if it can be closed. */
enum CloseResult implements Consumer<Object> {
  INSTANCE;

  @Override
  public void accept(Object result) {
    if (result instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        RetryEngine.restoreInterrupt(e);
        throw new IllegalStateException("not closed: " + e.getMessage(), e);
      }
    }
  }
}
