package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;

/**
 * Failures of databases. Linked only where the module java.sql is present.
 *
 * <p>Sources: classes and subclasses of the SQL standard, and appendix A of the PostgreSQL manual;
 * {@link SqlVendors} has the vendors' own codes. A verdict of YES says that the transaction, or the
 * one statement, was rolled back: the operation to repeat is the whole transaction.
 */
final class SqlRule {
  static final Verdict ROLLED_BACK = indication(RetrySafety.YES, "the transaction was rolled back");
  static final Verdict LOCKED = indication(RetrySafety.YES, "a lock was not to be had");
  static final Verdict LOCK_TIMEOUT =
      indication(RetrySafety.YES, "a lock was not to be had in time").withTimeout();
  static final Verdict NOT_CONNECTED = indication(RetrySafety.YES, "no connection to the database");
  static final Verdict NOT_CONNECTED_IN_TIME =
      indication(RetrySafety.YES, "no connection to the database in time").withTimeout();
  static final Verdict TOO_MANY_CONNECTIONS =
      indication(RetrySafety.YES, "the database has too many connections").withThrottle();
  private static final Verdict OUTCOME_UNKNOWN =
      indication(RetrySafety.MAYBE, "the database does not know whether it was done");
  static final Verdict INTERVENTION =
      indication(RetrySafety.MAYBE, "the database was stopped or ended the session");
  static final Verdict RESOURCES =
      indication(RetrySafety.MAYBE, "the database lacks memory, disk or other resources");
  static final Verdict NO_ANSWER =
      indication(RetrySafety.MAYBE, "no answer of the database in time").withTimeout();
  static final Verdict CANCELLED = indication(RetrySafety.NO, "the statement was cancelled");
  static final Verdict REFUSED =
      indication(RetrySafety.NO, "the database refuses the statement or the user");
  static final Verdict CONNECTION_BROKE =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the connection to the database broke");
  private static final Verdict TRANSIENT =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the driver says that it is transient");

  private SqlRule() {}

  /** Returns the verdict on a failure of a database, or {@link Verdict#UNKNOWN}. */
  static Verdict of(Throwable failure) {
    if (!(failure instanceof SQLException sql)) {
      return Verdict.UNKNOWN;
    }

    Verdict byVendor = SqlVendors.of(sql);
    if (byVendor.isKnown()) {
      return byVendor;
    }

    // Its state is often that of the cancelling by which the driver ended the statement.
    if (sql instanceof SQLTimeoutException) {
      return wasNeverConnected(sql.getCause()) ? NOT_CONNECTED_IN_TIME : NO_ANSWER;
    }

    // The state tells more than the type: most drivers throw a plain SQLException.
    Verdict byState = ofState(sql.getSQLState(), sql.getErrorCode(), sql.getMessage());
    return byState.isKnown() ? byState : ofType(sql);
  }

  /** Drivers use the same exception for time-outs of connecting and of reading. */
  private static boolean wasNeverConnected(@Nullable Throwable cause) {
    if (cause == null) {
      return false;
    }
    NetworkFailure kind = NetworkFailure.of(cause);
    return kind == NetworkFailure.CONNECT_TIMEOUT
        || kind == NetworkFailure.NOT_CONNECTED
        || kind == NetworkFailure.NO_ROUTE
        || kind == NetworkFailure.UNKNOWN_HOST;
  }

  private static Verdict ofState(@Nullable String state, int vendorCode, @Nullable String message) {
    if (state == null || state.length() != 5) {
      return Verdict.UNKNOWN;
    }
    return switch (state) {
      // Rolled back for no fault of its own: a conflict with another one, or a deadlock.
      case "40000", "40001", "40P01" -> ROLLED_BACK;
      // Rolled back because a constraint, checked at commit, does not hold.
      case "40002" -> REFUSED;
      // The connection broke while the answer, often to a COMMIT, was under way.
      case "40003", "08007" -> OUTCOME_UNKNOWN;
      // Derby's time-out of a lock, and that with a report of all locks.
      case "40XL1", "40XL2" -> LOCK_TIMEOUT;
      // Never connected; 57P03 is a database that is starting or stopping.
      case "08001", "57P03" -> NOT_CONNECTED;
      // The server turned the connection away: for its number with MySQL, else for the password,
      // the encryption or the name of the database.
      case "08004" -> orElse(SqlVendors.ofMySql(vendorCode, message), REFUSED);
      // Driver and database do not understand each other.
      case "08P01" -> REFUSED;
      case "53300" -> TOO_MANY_CONNECTIONS;
      case "55P03" -> LOCKED;
      // DB2: a deadlock or a time-out, and no more than the statement was rolled back.
      case "57033" -> LOCKED;
      // By statement_timeout or by a person: the state does not tell, and a person is obeyed.
      case "57014" -> CANCELLED;
      // The database was dropped.
      case "57P04" -> REFUSED;
      case "HYT00", "HYT01" -> NO_ANSWER;
      // Of a standby, and of MySQL for a transaction that the program has declared so.
      case "25006" -> orElse(SqlVendors.ofMySql(vendorCode, message), SqlVendors.READ_ONLY);
      // States that mean little, where the vendor's code tells more.
      case "HY000", "41000", "70100" -> SqlVendors.ofMySql(vendorCode, message);
      case "42000" -> orElse(SqlVendors.ofMySql(vendorCode, message), REFUSED);
      default -> ofStateClass(state);
    };
  }

  private static Verdict ofStateClass(String state) {
    // Drivers say so too when they never connected: then a ConnectException is the cause.
    if (state.startsWith("08")) {
      return CONNECTION_BROKE;
    }
    if (state.startsWith("53")) {
      return RESOURCES;
    }
    if (state.startsWith("57")) {
      return INTERVENTION;
    }

    // A feature, the data, a constraint, the log-in, the syntax or the rights.
    if (state.startsWith("0A")
        || state.startsWith("22")
        || state.startsWith("23")
        || state.startsWith("28")
        || state.startsWith("42")) {
      return REFUSED;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict ofType(SQLException failure) {
    if (failure instanceof SQLTransactionRollbackException) {
      return ROLLED_BACK;
    }

    // JDBC: may succeed when tried again without, and with a new connection. Neither tells whether
    // the statement took effect. Pools say so when they have no connection; the cause tells why.
    if (failure instanceof SQLTransientException || failure instanceof SQLRecoverableException) {
      return TRANSIENT;
    }

    // A database that is down, too. The cause, if there is one, tells whether it was ever
    // connected.
    if (failure instanceof SQLNonTransientConnectionException) {
      return CONNECTION_BROKE;
    }

    // JDBC: fails again unless its cause is mended.
    if (failure instanceof SQLNonTransientException) {
      return REFUSED;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict orElse(Verdict verdict, Verdict otherwise) {
    return verdict.isKnown() ? verdict : otherwise;
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
