package dev.reprise.libraries;

import dev.reprise.testkit.RefusingPort;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drivers of databases whose server is down, far away, silent, or goes. */
class DriversTest {
  private static final String UNKNOWN_HOST = "unknown.invalid";

  /**
   * A driver, with short patience where it can be set.
   *
   * @param silent the verdict when the log-in is not answered: YES where the driver tells it from a
   *     statement that is not
   * @param hungUp the verdict when the connection ends during the log-in
   */
  private record Driver(String name, String silent, String hungUp, String url) {
    boolean hasPatience() {
      return !name.equals("Derby") && !name.equals("HSQLDB");
    }

    /** SQL Server's driver has other words when it is reset while it still writes. */
    String reset() {
      return name.equals("SQL Server") ? "MAYBE or YES" : silent;
    }

    /** One driver waits for the log-in no longer than for the connection. */
    Patience forTheLogIn() {
      return name.equals("MariaDB")
          ? new Patience(Patience.SHORT, Patience.SHORT)
          : Patience.FOR_ANSWER;
    }

    void connect(String host, int port, Patience patience) throws Exception {
      Properties settings = new Properties();
      settings.setProperty("user", "u");
      settings.setProperty("password", "p");
      settings.setProperty("oracle.net.CONNECT_TIMEOUT", "" + patience.connectMillis());
      settings.setProperty("oracle.jdbc.ReadTimeout", "" + patience.answerMillis());
      try (Connection connection =
          DriverManager.getConnection(
              url.replace("HOST", host + ":" + port)
                  .replace("CONNECT_MILLIS", "" + patience.connectMillis())
                  .replace("ANSWER_MILLIS", "" + patience.answerMillis()),
              settings)) {
        connection.createStatement().execute("SELECT 1");
      }
    }
  }

  private static final Driver[] DRIVERS = {
    new Driver(
        "PostgreSQL",
        "YES",
        "YES",
        "jdbc:postgresql://HOST/x?connectTimeout=1&socketTimeout=1&sslmode=disable&gssEncMode=disable"),
    new Driver(
        "MySQL",
        "MAYBE",
        "MAYBE",
        "jdbc:mysql://HOST/x?connectTimeout=CONNECT_MILLIS&socketTimeout=ANSWER_MILLIS&sslMode=DISABLED"),
    new Driver(
        "MariaDB",
        "MAYBE",
        "MAYBE",
        "jdbc:mariadb://HOST/x?connectTimeout=CONNECT_MILLIS&socketTimeout=ANSWER_MILLIS"),
    new Driver(
        "SQL Server",
        "MAYBE",
        "YES",
        "jdbc:sqlserver://HOST;loginTimeout=1;connectRetryCount=0;encrypt=false"),
    new Driver("Oracle", "MAYBE", "MAYBE", "jdbc:oracle:thin:@//HOST/x"),
    new Driver("Derby", "MAYBE", "MAYBE", "jdbc:derby://HOST/x"),
    new Driver("H2", "MAYBE", "MAYBE", "jdbc:h2:tcp://HOST/x;NETWORK_TIMEOUT=ANSWER_MILLIS"),
    new Driver("HSQLDB", "MAYBE", "MAYBE", "jdbc:hsqldb:hsql://HOST/x"),
  };

  static Stream<Cell> neverConnected() {
    return Stream.of(DRIVERS)
        .flatMap(
            driver ->
                Stream.of(
                    new Cell(driver.name, "connection refused", "YES", () -> refused(driver)),
                    new Cell(
                        driver.name,
                        "unknown host",
                        "YES",
                        () -> driver.connect(UNKNOWN_HOST, 1, Patience.ENDLESS))));
  }

  static Stream<Cell> timeouts() {
    return Stream.of(DRIVERS)
        .filter(Driver::hasPatience)
        .flatMap(
            driver ->
                Stream.of(
                    new Cell(
                        driver.name,
                        "connect time-out",
                        "YES",
                        () -> at(Peer.full(), driver, Patience.TO_CONNECT)),
                    new Cell(
                        driver.name,
                        "no answer to the log-in",
                        driver.silent,
                        () -> at(Peer.silent(), driver, driver.forTheLogIn()))));
  }

  static Stream<Cell> broken() {
    return Stream.of(DRIVERS)
        .flatMap(
            driver ->
                Stream.of(
                    new Cell(
                        driver.name,
                        "hung up during the log-in",
                        driver.hungUp,
                        () -> at(Peer.hangingUp(), driver, Patience.ENDLESS)),
                    new Cell(
                        driver.name,
                        "reset during the log-in",
                        driver.reset(),
                        () -> at(Peer.resettingAtOnce(), driver, Patience.ENDLESS))));
  }

  @ParameterizedTest
  @MethodSource({"neverConnected", "timeouts", "broken"})
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }

  private static void refused(Driver driver) throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      driver.connect("127.0.0.1", port.number(), Patience.ENDLESS);
    }
  }

  private static void at(Peer peer, Driver driver, Patience patience) throws Exception {
    try (peer) {
      driver.connect("127.0.0.1", peer.port(), patience);
    }
  }
}
