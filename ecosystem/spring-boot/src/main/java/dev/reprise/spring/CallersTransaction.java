package dev.reprise.spring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Warns of methods that are called within a transaction and leave it: it is bound to the caller's
 * thread, and no context can carry it to that of an attempt. Thread-safe.
 */
final class CallersTransaction {
  private static final Log LOG = LogFactory.getLog(CallersTransaction.class);
  private static final boolean HAS_TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          CallersTransaction.class.getClassLoader());

  private final Set<RetriedMethod> warned = ConcurrentHashMap.newKeySet();

  /** Warns, if the caller has a transaction, of a method whose attempts run on other threads. */
  void warnIfLeftBy(RetriedMethod method) {
    if (HAS_TRANSACTIONS
        && TransactionSynchronizationManager.isActualTransactionActive()
        && warned.add(method)) {
      LOG.warn(
          method
              + " is called within a transaction, and its attempts are outside of it: "
              + PropertiesPolicy.PREFIX
              + method.name()
              + " has attempt-timeout or hedging, for which they run on other threads. What it"
              + " writes is not rolled back with the caller's transaction, and it may wait for the"
              + " locks that this one holds. Let the retry surround the transaction, or set a"
              + " timeout of the client instead. (Said once for this method.)");
    }
  }
}
