package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;

/**
 * Failures of databases. Linked only where the module java.sql is present.
 *
 * <p>Sources: classes and subclasses of the SQL standard, appendix A of the PostgreSQL manual, the
 * error references of MySQL and Oracle. A verdict of YES says that the transaction, or the one
 * statement, was rolled back: the operation to repeat is the whole transaction.
 */
final class SqlRule {
  private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
  private static final int ORACLE_DEADLOCK = 60;
  private static final int ORACLE_CANNOT_SERIALIZE = 8177;

  private static final Verdict ROLLED_BACK =
      indication(RetrySafety.YES, "the transaction was rolled back");
  private static final Verdict LOCKED = indication(RetrySafety.YES, "a lock was not to be had");
  private static final Verdict LOCK_TIMEOUT =
      indication(RetrySafety.YES, "a lock was not to be had in time").withTimeout();
  private static final Verdict NOT_CONNECTED =
      indication(RetrySafety.YES, "no connection to the database");
  private static final Verdict TOO_MANY_CONNECTIONS =
      indication(RetrySafety.YES, "the database has too many connections").withThrottle();
  private static final Verdict OUTCOME_UNKNOWN =
      indication(RetrySafety.MAYBE, "the database does not know whether it was done");
  private static final Verdict INTERVENTION =
      indication(RetrySafety.MAYBE, "the database was stopped or ended the session");
  private static final Verdict RESOURCES =
      indication(RetrySafety.MAYBE, "the database lacks memory, disk or other resources");
  private static final Verdict NO_ANSWER =
      indication(RetrySafety.MAYBE, "no answer of the database in time").withTimeout();
  private static final Verdict CANCELLED =
      indication(RetrySafety.NO, "the statement was cancelled");
  private static final Verdict REFUSED =
      indication(RetrySafety.NO, "the database refuses the statement or the user");
  private static final Verdict CONNECTION_BROKE =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the connection to the database broke");
  private static final Verdict TRANSIENT =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the driver says that it is transient");

  private SqlRule() {}

  /** Returns the verdict on a failure of a database, or {@link Verdict#UNKNOWN}. */
  static Verdict of(Throwable failure) {
    if (!(failure instanceof SQLException sql)) {
      return Verdict.UNKNOWN;
    }

    // Its state is often that of the cancelling by which the driver ended the statement.
    if (sql instanceof SQLTimeoutException) {
      return NO_ANSWER;
    }

    // The state tells more than the type: most drivers throw a plain SQLException.
    Verdict byState = ofState(sql.getSQLState(), sql.getErrorCode());
    return byState.isKnown() ? byState : ofType(sql);
  }

  private static Verdict ofState(@Nullable String state, int vendorCode) {
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
      // Never connected; 57P03 is a database that is starting or stopping.
      case "08001", "08004", "57P03" -> NOT_CONNECTED;
      // Driver and database do not understand each other.
      case "08P01" -> REFUSED;
      case "53300" -> TOO_MANY_CONNECTIONS;
      case "55P03" -> LOCKED;
      // By statement_timeout or by a person: the state does not tell, and a person is obeyed.
      case "57014" -> CANCELLED;
      // The database was dropped.
      case "57P04" -> REFUSED;
      case "HYT00", "HYT01" -> NO_ANSWER;
      // States that mean little, where the vendor's code tells more.
      case "HY000", "41000" ->
          vendorCode == MYSQL_LOCK_WAIT_TIMEOUT ? LOCK_TIMEOUT : Verdict.UNKNOWN;
      case "61000" -> vendorCode == ORACLE_DEADLOCK ? ROLLED_BACK : Verdict.UNKNOWN;
      case "72000" -> vendorCode == ORACLE_CANNOT_SERIALIZE ? ROLLED_BACK : Verdict.UNKNOWN;
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

    // JDBC: fails again unless its cause is mended.
    if (failure instanceof SQLNonTransientException) {
      return REFUSED;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
