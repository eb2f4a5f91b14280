package dev.reprise.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of all cells in core/TESTS.md is what the tests of this module expect. */
class TableTest {
  private static final Path DOCUMENT = Path.of("..", "..", "core", "TESTS.md");

  @Test
  void tableOfTheDocumentIsWhatTheTestsExpect() throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .dropWhile(line -> !line.startsWith("| library |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();

    assertThat(rows).isEqualTo(expected());
  }

  private static List<String> expected() {
    Map<String, Map<String, List<String>>> table = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    cells()
        .flatMap(cells -> cells)
        .forEach(
            cell ->
                table
                    .computeIfAbsent(cell.library(), library -> new TreeMap<>())
                    .computeIfAbsent(column(cell.verdict()), verdict -> new ArrayList<>())
                    .add(cell.failure() + remark(cell.verdict())));
    List<String> rows = new ArrayList<>();
    table.forEach(
        (library, verdicts) ->
            rows.add(
                "| %s | %s | %s | %s |"
                    .formatted(
                        library,
                        textOf(verdicts.get("YES")),
                        textOf(verdicts.get("MAYBE")),
                        textOf(verdicts.get("NO")))));
    return rows;
  }

  private static Stream<Stream<Cell>> cells() {
    return Stream.of(
        DriversTest.neverConnected(),
        DriversTest.timeouts(),
        DriversTest.broken(),
        ScriptedDatabasesTest.postgres(),
        ScriptedDatabasesTest.mySql(),
        DatabasesTest.locks(),
        DatabasesTest.refusals(),
        DatabasesTest.ended(),
        HttpClientsTest.apache5(),
        HttpClientsTest.apache5Async(),
        HttpClientsTest.apache4(),
        HttpClientsTest.okHttp(),
        HttpClientsTest.jetty(),
        HttpClientsTest.reactorNetty(),
        HttpClientsTest.netty(),
        ServiceClientsTest.lettuce(),
        ServiceClientsTest.jedis(),
        ServiceClientsTest.mongo(),
        ServiceClientsTest.kafka(),
        ServiceClientsTest.rabbit(),
        ServiceClientsTest.jms(),
        ServiceClientsTest.elasticsearch(),
        ServiceClientsTest.aws(),
        ServiceClientsTest.grpc(),
        StatedFailuresTest.brokers(),
        StatedFailuresTest.stores(),
        StatedFailuresTest.services(),
        StatedFailuresTest.sqlServer());
  }

  private static String column(String verdict) {
    return verdict.startsWith("MAYBE") ? "MAYBE" : verdict.startsWith("YES") ? "YES" : "NO";
  }

  private static String remark(String verdict) {
    return verdict.endsWith("throttle")
        ? " (throttle)"
        : verdict.contains(" or ") ? " (or YES)" : "";
  }

  private static String textOf(List<String> failures) {
    return failures == null ? "" : String.join(", ", failures);
  }
}
