package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * Failures of databases that the vendor's own code tells better than the state, which is missing,
 * wrong, or the same for many. Linked only where the module java.sql is present.
 *
 * <p>A code means something only with its vendor: 1205 is a time-out of MySQL and a deadlock of SQL
 * Server. The vendor is known by the name of the driver's exception, or by the way its messages
 * begin. Sources: the error references of H2, MySQL, MariaDB, Oracle and SQL Server, the result
 * codes of SQLite, and {@code testkit/libraries}, where the drivers themselves are asked.
 */
final class SqlVendors {
  private static final Verdict IN_USE =
      indication(RetrySafety.YES, "another process uses the database");
  private static final Verdict SERVICE_BUSY =
      indication(RetrySafety.YES, "the database asks for fewer requests").withThrottle();
  static final Verdict READ_ONLY =
      indication(RetrySafety.YES, "the database is read-only, as it is after a failover");
  private static final Verdict NONE_FREE =
      indication(RetrySafety.YES, "the pool had no connection free in time, nothing was sent")
          .withTimeout();

  private SqlVendors() {}

  /** Returns the verdict on a failure by its vendor's code, or {@link Verdict#UNKNOWN}. */
  static Verdict of(SQLException failure) {
    String type = failure.getClass().getName();
    if (type.startsWith("org.h2.")) {
      return ofH2(failure);
    }
    if (type.startsWith("com.microsoft.sqlserver.")) {
      return ofSqlServer(failure);
    }
    // A pool has neither state nor code of its own, and copies those of its last failure.
    if (type.equals("org.apache.tomcat.jdbc.pool.PoolExhaustedException")) {
      return NONE_FREE;
    }
    String message = failure.getMessage();
    if (message == null) {
      return Verdict.UNKNOWN;
    }
    if (isOfEmptyPool(message)) {
      return NONE_FREE;
    }
    if (failure.getSQLState() == null && message.contains("[SQLITE_")) {
      return ofSqlite(message);
    }
    // Its driver also throws exceptions of java.sql, and says nothing but the code.
    return message.contains("ORA-") ? ofOracle(failure.getErrorCode()) : Verdict.UNKNOWN;
  }

  /**
   * Returns the verdict on a code of MySQL and MariaDB, or {@link Verdict#UNKNOWN}. Their states
   * are those of the standard where it has one; this is asked about those that mean little.
   */
  static Verdict ofMySql(int code, @Nullable String message) {
    return switch (code) {
      // Wait for a lock, and NOWAIT.
      case 1205 -> SqlRule.LOCK_TIMEOUT;
      case 3572 -> SqlRule.LOCKED;
      // Rolled back when the group of servers certified it.
      case 3101 -> SqlRule.ROLLED_BACK;
      // Of the server, and of this user.
      case 1040, 1203 -> SqlRule.TOO_MANY_CONNECTIONS;
      // Also said of other options, such as --secure-file-priv.
      case 1290 -> message != null && message.contains("read-only") ? READ_ONLY : Verdict.UNKNOWN;
      case 1836 -> READ_ONLY;
      // A declared transaction of the program.
      case 1792 -> SqlRule.REFUSED;
      // The session was killed, was idle for too long, or the server shuts down.
      case 1053, 1927, 3169, 4031 -> SqlRule.INTERVENTION;
      // max_execution_time and max_statement_time; KILL QUERY.
      case 1969, 3024 -> SqlRule.NO_ANSWER;
      case 1317 -> SqlRule.CANCELLED;
      default -> Verdict.UNKNOWN;
    };
  }

  private static Verdict ofH2(SQLException failure) {
    return switch (failure.getErrorCode()) {
      case 50200 -> SqlRule.LOCK_TIMEOUT;
      case 90131 -> SqlRule.ROLLED_BACK;
      case 90020, 90135 -> IN_USE;
      // Broken, closed, or the process ends: the cause tells whether it was ever connected.
      case 90067, 90098, 90121 -> SqlRule.CONNECTION_BROKE;
      // No such database, or none for clients of other hosts.
      default ->
          failure instanceof SQLNonTransientConnectionException ? SqlRule.REFUSED : Verdict.UNKNOWN;
    };
  }

  private static Verdict ofSqlServer(SQLException failure) {
    return switch (failure.getErrorCode()) {
      // The driver's own, and often without a cause. While it connects, nothing has been executed.
      case 0 ->
          failure.getMessage() != null
                  && failure.getMessage().startsWith("The TCP/IP connection to the host ")
              ? SqlRule.NOT_CONNECTED
              : Verdict.UNKNOWN;
      case 1205, 3960 -> SqlRule.ROLLED_BACK;
      case 1222 -> SqlRule.LOCK_TIMEOUT;
      case 3906 -> READ_ONLY;
      case 17809 -> SqlRule.TOO_MANY_CONNECTIONS;
      // Being recovered, restored or upgraded; not available for the moment.
      case 921, 922, 927, 18401, 40613 -> SqlRule.NOT_CONNECTED;
      // Resource limits of Azure SQL.
      case 10928, 10929, 40501, 49918, 49919, 49920 -> SERVICE_BUSY;
      // The session was killed, or the server shuts down or fails over.
      case 596, 6005, 40143, 40197, 40540 -> SqlRule.INTERVENTION;
      // The log-in failed, or its password has expired.
      case 18456, 18486, 18487, 18488 -> SqlRule.REFUSED;
      default -> Verdict.UNKNOWN;
    };
  }

  private static Verdict ofSqlite(String message) {
    if (message.contains("[SQLITE_BUSY") || message.contains("[SQLITE_LOCKED")) {
      return SqlRule.LOCKED;
    }
    if (message.contains("[SQLITE_INTERRUPT")) {
      return SqlRule.CANCELLED;
    }
    if (message.contains("[SQLITE_FULL")
        || message.contains("[SQLITE_NOMEM")
        || message.contains("[SQLITE_IOERR")) {
      return SqlRule.RESOURCES;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict ofOracle(int code) {
    return switch (code) {
      case 54 -> SqlRule.LOCKED;
      case 4021, 30006 -> SqlRule.LOCK_TIMEOUT;
      case 60, 4020, 8177 -> SqlRule.ROLLED_BACK;
      // Sessions, processes, and handlers of the listener.
      case 18, 20, 12516, 12518, 12519, 12520 -> SqlRule.TOO_MANY_CONNECTIONS;
      // The database starts or is not there, and the listener knows nothing of it yet.
      case 1033, 1034, 12505, 12514, 12521, 12526, 12527, 12528 -> SqlRule.NOT_CONNECTED;
      // No listener, no route, no such host; the state of the last one is that of bad data.
      case 12541, 12543, 12545, 17868 -> SqlRule.NOT_CONNECTED;
      case 12170 -> SqlRule.NOT_CONNECTED_IN_TIME;
      case 16000 -> READ_ONLY;
      // The session was killed or idle for too long, or the database shuts down or switches over.
      case 28, 31, 1012, 1089, 1090, 1092, 2396, 2399, 16456 -> SqlRule.INTERVENTION;
      // The channel to it ended.
      case 3113, 3114, 3135, 12537, 12547, 12571, 12637, 17410, 17800 -> SqlRule.CONNECTION_BROKE;
      // The password is wrong or has expired, or the account is locked.
      case 1017, 28000, 28001 -> SqlRule.REFUSED;
      default -> Verdict.UNKNOWN;
    };
  }

  /** The words of HikariCP, of Apache DBCP 2, of c3p0 and of Agroal. */
  private static boolean isOfEmptyPool(String message) {
    return message.contains("Connection is not available, request timed out after")
        || message.startsWith("Cannot get a connection, pool error Timeout waiting for idle object")
        || message.equals("An attempt by a client to checkout a Connection has timed out.")
        || message.equals("Sorry, acquisition timeout!");
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
