package dev.reprise.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Databases that are down, and what only the vendor's own code or words tell. */
class SqlRuleTest {
  static Stream<IOException> failuresToConnect() {
    return Stream.of(
        new ConnectException("Connection refused"),
        new UnknownHostException("db.example"),
        new NoRouteToHostException("No route to host"),
        new SocketTimeoutException("Connect timed out"));
  }

  @ParameterizedTest
  @MethodSource("failuresToConnect")
  void aDatabaseThatIsDownWasNeverSentAnything(IOException failure) {
    String[] states = {null, "90067", "08000", "08006", "08S01", "XXXXX"};
    for (String state : states) {
      assertThat(safetyOf(new SQLNonTransientConnectionException("x", state, failure)))
          .as(state)
          .startsWith("YES");
    }
    assertThat(safetyOf(new SQLTimeoutException("x", "08000", failure))).isEqualTo("YES timeout");
  }

  @Test
  void aConnectionThatBrokeMayHaveHadItsEffect() {
    assertThat(safetyOf(new SQLNonTransientConnectionException())).isEqualTo("MAYBE");
    assertThat(safetyOf(new SQLNonTransientConnectionException("x", "90067", new EOFException())))
        .isEqualTo("MAYBE");
    assertThat(safetyOf(new SQLTimeoutException("x", new SocketTimeoutException("Read timed out"))))
        .isEqualTo("MAYBE timeout");
  }

  @Test
  void aPasswordThatIsWrongIsNeverRetried() {
    assertThat(safetyOf(new SQLNonTransientConnectionException("x", "28000"))).isEqualTo("NO");
    assertThat(safetyOf(new SQLNonTransientConnectionException("x", "08004"))).isEqualTo("NO");
    assertThat(safetyOf(new SQLException("ORA-01017: invalid password", "72000", 1017)))
        .isEqualTo("NO");
    assertThat(
            safetyOf(
                new SQLTransientConnectionException(
                    "p - Connection is not available, request timed out after 9ms.",
                    "28000",
                    new SQLException("x", "28000"))))
        .isEqualTo("NO timeout");
  }

  @ParameterizedTest
  @CsvSource({
    "HY000, 1205, x, YES timeout",
    "HY000, 3572, x, YES",
    "HY000, 3101, x, YES",
    "08004, 1040, Too many connections, YES throttle",
    "42000, 1203, x, YES throttle",
    "42000, 1226, x, NO",
    "42000, 1064, x, NO",
    "HY000, 1290, running with the --read-only option, YES",
    "HY000, 1290, running with the --super-read-only option, YES",
    "HY000, 1290, running with the --secure-file-priv option, NO",
    "HY000, 1836, x, YES",
    "25006, 1792, x, NO",
    "HY000, 4031, x, MAYBE",
    "HY000, 3169, x, MAYBE",
    "08S01, 1053, x, MAYBE",
    "70100, 1927, x, MAYBE",
    "70100, 1317, x, NO",
    "70100, 1969, x, MAYBE timeout",
    "HY000, 3024, x, MAYBE timeout",
    "HY000, 1130, x, NO"
  })
  void codesOfMySql(String state, int code, String message, String expected) {
    assertThat(safetyOf(new SQLException(message, state, code))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "54, 61000, YES",
    "30006, 99999, YES timeout",
    "4021, 61000, YES timeout",
    "60, 61000, YES",
    "8177, 72000, YES",
    "18, 61000, YES throttle",
    "12516, 66000, YES throttle",
    "1033, 08006, YES",
    "12514, 08006, YES",
    "12528, 66000, YES",
    "12541, 66000, YES",
    "17868, 22000, YES",
    "12170, 08006, YES timeout",
    "16000, 99999, YES",
    "3113, 08006, MAYBE",
    "1089, 08006, MAYBE",
    "28, 08006, MAYBE",
    "17800, 72000, MAYBE",
    "28000, 99999, NO",
    "942, 42000, NO"
  })
  void codesOfOracle(int code, String state, String expected) {
    SQLException failure = new SQLException("ORA-%05d: x".formatted(code), state, code);

    assertThat(safetyOf(failure)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "[SQLITE_BUSY] The database file is locked, YES",
    "[SQLITE_BUSY_SNAPSHOT] Another connection has written, YES",
    "[SQLITE_LOCKED] A table is locked, YES",
    "[SQLITE_FULL] Insertion failed, MAYBE",
    "[SQLITE_INTERRUPT] Operation terminated, NO",
    "[SQLITE_CONSTRAINT_UNIQUE] A UNIQUE constraint failed, NO"
  })
  void wordsOfSqlite(String message, String expected) {
    assertThat(safetyOf(new SQLException(message, null, 1))).isEqualTo(expected);
    assertThat(safetyOf(new BatchUpdateException("batch entry 0: " + message, null, 1, new int[0])))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HikariPool-1 - Connection is not available, request timed out after 250ms (total=1)",
        "Cannot get a connection, pool error Timeout waiting for idle object",
        "An attempt by a client to checkout a Connection has timed out.",
        "Sorry, acquisition timeout!"
      })
  void aPoolThatWasEmptySentNothing(String message) {
    assertThat(safetyOf(new SQLException(message))).isEqualTo("YES timeout");
    assertThat(
            safetyOf(
                new SQLTransientConnectionException(
                    message, "08006", new SQLException("x", "08006"))))
        .isEqualTo("YES timeout");
  }

  private static String safetyOf(SQLException failure) {
    Verdict verdict = Classifier.defaults().classify(failure);
    return verdict.isRetrySafe()
        + (verdict.isThrottle() ? " throttle" : "")
        + (verdict.isTimeout() ? " timeout" : "");
  }
}
