package dev.reprise.libraries;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Databases that run in this process: locks, deadlocks, passwords, and the end of a database. */
class DatabasesTest {
  private static final String SAFE = "YES";

  static Stream<Cell> locks() {
    return Stream.of(
        new Cell(
            "H2",
            "lock time-out",
            SAFE,
            () -> lockTimeout("jdbc:h2:mem:locks", "SET LOCK_TIMEOUT 100")),
        new Cell(
            "Derby",
            "lock time-out",
            SAFE,
            () ->
                lockTimeout(
                    "jdbc:derby:memory:locks;create=true",
                    "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.locks.waitTimeout', '1')")),
        new Cell(
            "SQLite",
            "busy",
            SAFE,
            () -> lockTimeout("jdbc:sqlite:" + file("busy"), "PRAGMA busy_timeout = 50")),
        new Cell("SQLite", "locked", SAFE, DatabasesTest::sqliteLocked),
        new Cell(
            "H2",
            "deadlock",
            SAFE,
            () -> deadlock("jdbc:h2:mem:deadlock", "SET LOCK_TIMEOUT 60000")),
        new Cell(
            "Derby",
            "deadlock",
            SAFE,
            () ->
                deadlock(
                    "jdbc:derby:memory:deadlock;create=true",
                    "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.locks.deadlockTimeout',"
                        + " '1')")),
        new Cell("HSQLDB", "conflict", SAFE, DatabasesTest::hsqldbConflict),
        new Cell("H2", "in use", SAFE, DatabasesTest::h2InUse),
        new Cell("HikariCP", "pool exhausted", SAFE, DatabasesTest::hikariExhausted),
        new Cell("HikariCP", "database down", SAFE, () -> hikari("jdbc:h2:tcp://127.0.0.1:1/x")),
        new Cell("HikariCP", "wrong password", "NO", DatabasesTest::hikariWrongPassword));
  }

  static Stream<Cell> refusals() {
    return Stream.of(
        new Cell(
            "H2",
            "wrong password",
            "NO",
            () -> wrongPassword("jdbc:h2:mem:password", "jdbc:h2:mem:password")),
        new Cell(
            "HSQLDB",
            "wrong password",
            "NO",
            () -> wrongPassword("jdbc:hsqldb:mem:password", "jdbc:hsqldb:mem:password")),
        new Cell("Derby", "wrong password", "NO", DatabasesTest::derbyPassword),
        new Cell("H2", "no such table", "NO", () -> noTable("jdbc:h2:mem:table")),
        new Cell("HSQLDB", "no such table", "NO", () -> noTable("jdbc:hsqldb:mem:table")),
        new Cell(
            "Derby", "no such table", "NO", () -> noTable("jdbc:derby:memory:table;create=true")),
        new Cell("SQLite", "no such table", "NO", () -> noTable("jdbc:sqlite:" + file("table"))),
        new Cell(
            "SQLite",
            "cannot open",
            "NO",
            () -> noTable("jdbc:sqlite:" + file("folder") + "/none/x")),
        new Cell(
            "H2",
            "no such database",
            "NO",
            () -> noTable("jdbc:h2:file:" + file("none") + ";IFEXISTS=TRUE")),
        new Cell("Derby", "no such database", "NO", () -> noTable("jdbc:derby:memory:none")));
  }

  static Stream<Cell> ended() {
    return Stream.of(
        new Cell("H2", "server stopped", "MAYBE", DatabasesTest::h2ServerStopped),
        new Cell("H2", "shut down", "MAYBE", () -> shutDown("jdbc:h2:mem:ended", "SHUTDOWN", null)),
        new Cell(
            "HSQLDB",
            "shut down",
            "MAYBE",
            () -> shutDown("jdbc:hsqldb:mem:ended", "SHUTDOWN", null)),
        new Cell(
            "Derby",
            "shut down",
            "MAYBE",
            () ->
                shutDown(
                    "jdbc:derby:memory:ended;create=true",
                    null,
                    "jdbc:derby:memory:ended;shutdown=true")));
  }

  static Path file(String name) {
    try {
      return Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir")))
          .resolve(name + "-" + System.nanoTime());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static void lockTimeout(String url, String setting) throws Exception {
    try (Connection holder = DriverManager.getConnection(url);
        Connection waiter = DriverManager.getConnection(url)) {
      if (setting != null) {
        run(holder, setting);
        run(waiter, setting);
      }
      run(holder, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)");
      holder.setAutoCommit(false);
      run(holder, "UPDATE t SET n = 1 WHERE id = 1");
      waiter.setAutoCommit(false);
      try (Statement s = waiter.createStatement()) {
        if (url.contains("hsqldb")) {
          s.setQueryTimeout(1);
        }
        s.execute("UPDATE t SET n = 2 WHERE id = 1");
      }
    }
  }

  private static void deadlock(String url, String setting) throws Exception {
    try (Connection one = DriverManager.getConnection(url);
        Connection two = DriverManager.getConnection(url)) {
      if (setting != null) {
        run(one, setting);
        run(two, setting);
      }
      run(
          one,
          "CREATE TABLE t (id INT PRIMARY KEY, n INT)",
          "INSERT INTO t VALUES (1, 0)",
          "INSERT INTO t VALUES (2, 0)");
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      run(one, "UPDATE t SET n = 1 WHERE id = 1");
      run(two, "UPDATE t SET n = 1 WHERE id = 2");
      CompletableFuture<Void> first =
          CompletableFuture.runAsync(
              () -> {
                try {
                  run(one, "UPDATE t SET n = 2 WHERE id = 2");
                  one.rollback();
                } catch (SQLException e) {
                  try {
                    one.rollback();
                  } catch (SQLException x) {
                    throw new IllegalStateException(x);
                  }
                  throw new IllegalStateException(e);
                }
              });
      SQLException second = null;
      try {
        run(two, "UPDATE t SET n = 2 WHERE id = 1");
      } catch (SQLException e) {
        second = e;
      }
      two.rollback();
      if (second != null) {
        throw second;
      }
      try {
        first.get();
      } catch (ExecutionException e) {
        throw (SQLException) e.getCause().getCause();
      }
    }
  }

  private static void sqliteLocked() throws Exception {
    String url = "jdbc:sqlite:file:locked" + System.nanoTime() + "?mode=memory&cache=shared";
    lockTimeout(url, "PRAGMA busy_timeout = 50");
  }

  private static void h2InUse() throws Exception {
    Path file = file("inuse");
    String url = "jdbc:h2:file:" + file;
    DriverManager.getConnection(url).close();
    // As another process would.
    try (FileChannel other = FileChannel.open(Path.of(file + ".mv.db"), StandardOpenOption.WRITE);
        FileLock lock = other.lock()) {
      DriverManager.getConnection(url).close();
      lock.isValid();
    }
  }

  private static void hsqldbConflict() throws Exception {
    String url = "jdbc:hsqldb:mem:conflict;hsqldb.tx=mvcc";
    try (Connection one = DriverManager.getConnection(url);
        Connection two = DriverManager.getConnection(url)) {
      run(one, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)");
      two.setAutoCommit(false);
      two.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      run(two, "SELECT * FROM t");
      run(one, "UPDATE t SET n = 1 WHERE id = 1");
      run(two, "UPDATE t SET n = 2 WHERE id = 1");
    }
  }

  private static HikariConfig config(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    config.setInitializationFailTimeout(-1);
    return config;
  }

  private static void hikari(String url) throws Exception {
    try (HikariDataSource pool = new HikariDataSource(config(url));
        Connection c = pool.getConnection()) {
      c.isClosed();
    }
  }

  @SuppressWarnings("try") // held, and that is all
  private static void hikariExhausted() throws Exception {
    try (HikariDataSource pool = new HikariDataSource(config("jdbc:h2:mem:pool"));
        Connection first = pool.getConnection();
        Connection second = pool.getConnection()) {
      second.isClosed();
    }
  }

  @SuppressWarnings("try") // keeps the database
  private static void hikariWrongPassword() throws Exception {
    try (Connection c = DriverManager.getConnection("jdbc:h2:mem:hp", "sa", "right")) {
      HikariConfig config = config("jdbc:h2:mem:hp");
      config.setUsername("sa");
      config.setPassword("wrong");
      config.setInitializationFailTimeout(1);
      try (HikariDataSource pool = new HikariDataSource(config)) {
        pool.getConnection().close();
      }
    }
  }

  @SuppressWarnings("try") // keeps the database
  private static void wrongPassword(String url, String again) throws Exception {
    try (Connection c = DriverManager.getConnection(url, "sa", "right")) {
      DriverManager.getConnection(again, "sa", "wrong").close();
    }
  }

  private static void derbyPassword() throws Exception {
    try (Connection c = DriverManager.getConnection("jdbc:derby:memory:password;create=true")) {
      run(
          c,
          "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.connection.requireAuthentication',"
              + " 'true')",
          "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.authentication.provider', 'BUILTIN')",
          "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.user.sa', 'right')");
      shutDownDerby("jdbc:derby:memory:password;shutdown=true");
    }
    DriverManager.getConnection("jdbc:derby:memory:password", "sa", "wrong").close();
  }

  /** Derby says by an exception that it has done so. */
  private static void shutDownDerby(String url) {
    assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
  }

  private static void noTable(String url) throws Exception {
    try (Connection c = DriverManager.getConnection(url)) {
      run(c, "SELECT * FROM nosuchtable");
    }
  }

  private static void shutDown(String url, String statement, String shutdownUrl) throws Exception {
    try (Connection c = DriverManager.getConnection(url);
        Connection other = DriverManager.getConnection(url)) {
      run(c, "CREATE TABLE t (id INT)");
      if (statement != null) {
        run(other, statement);
      } else {
        shutDownDerby(shutdownUrl);
      }
      run(c, "INSERT INTO t VALUES (1)");
    }
  }

  private static void h2ServerStopped() throws Exception {
    org.h2.tools.Server server =
        org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:stopped";
    try (Connection connection = DriverManager.getConnection(url)) {
      run(connection, "CREATE TABLE t (id INT)");
      server.stop();
      run(connection, "INSERT INTO t VALUES (1)");
    }
  }

  @ParameterizedTest
  @MethodSource({"locks", "refusals", "ended"})
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }
}
