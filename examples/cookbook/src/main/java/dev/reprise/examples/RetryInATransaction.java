package dev.reprise.examples;

import dev.reprise.core.retry.Retry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Repeats a transaction that the database rolled back. */
public final class RetryInATransaction {
  private RetryInATransaction() {}

  /** Doubles a balance while another client pays in. */
  public static void main(String[] args) throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl("jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1");
    execute(database, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
    execute(database, "INSERT INTO account VALUES (1, 100)");
    AtomicInteger attempts = new AtomicInteger();
    doubleBalance(database, attempts);
    System.out.println("balance " + balance(database) + " after " + attempts + " attempts");
    execute(database, "SHUTDOWN");
  }

  private static void doubleBalance(DataSource database, AtomicInteger attempts)
      throws SQLException {
    // @start region=transaction
    Retry.ofDefaults()
        .run(
            () -> {
              try (Connection connection = database.getConnection()) { // one for each attempt
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                try {
                  doubleBalance(connection, attempts.incrementAndGet()); // reads again, too
                  connection.commit();
                } catch (SQLException | RuntimeException failure) {
                  connection.rollback();
                  throw failure;
                }
              }
            });
    // @end
  }

  private static void doubleBalance(Connection connection, int attempt) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int balance = balance(statement);
      if (attempt == 1) {
        payIn(50);
      }
      statement.execute("UPDATE account SET balance = " + 2 * balance + " WHERE id = 1");
    }
  }

  /** Another client, on its own connection, between our read and our write. */
  private static void payIn(int amount) throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl("jdbc:h2:mem:bank");
    execute(database, "UPDATE account SET balance = balance + " + amount + " WHERE id = 1");
  }

  private static int balance(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      return balance(statement);
    }
  }

  private static int balance(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private static void execute(DataSource database, String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
