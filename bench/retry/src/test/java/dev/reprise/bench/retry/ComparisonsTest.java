package dev.reprise.bench.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.retry.peer.AsyncLoop;
import dev.reprise.core.retry.Retry;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;

class ComparisonsTest {
  @BeforeAll
  static void letOthersMeasureMeanwhile() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  static Stream<Row> rows() {
    return Comparisons.measuredByJmh().stream().flatMap(some -> some.rows().stream()).distinct();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void everyBenchmarkRunsOnceForEveryContender(Row row) throws RunnerException {
    assertThat(
            new Runner(
                    JmhComparison.options(row)
                        .forks(0)
                        .mode(Mode.SingleShotTime)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .build())
                .run())
        .hasSize(1);
  }

  @Test
  void everyComparisonByJmhHasAFloorAndOurs() {
    assertThat(Comparisons.measuredByJmh())
        .allSatisfy(
            some ->
                assertThat(some.rows())
                    .extracting(Row::part)
                    .contains(Row.Part.FLOOR, Row.Part.OURS));
  }

  @Test
  void namesAreUnique() {
    assertThat(Comparisons.all()).extracting(Benchmark::name).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(names = {"NETTY_WHEEL", "REPRISE", "RESILIENCE4J", "GAX", "FAILSAFE"})
  void parkedCallsEndAfterTheirDelay(AsyncLoop loop) throws Exception {
    int calls = 100;
    assertThat(Parked.kiloCallsPerSecond(loop, calls, 0, 1)).isPositive().isLessThan(calls / 50.0);
  }

  @ParameterizedTest
  @EnumSource(names = {"NETTY_WHEEL", "REPRISE"})
  void parkedCallsAreCancelled(AsyncLoop loop) {
    assertThat(Parked.cancel(loop, 100)).hasSize(2);
  }

  @Test
  void theJarOfCoreNeedsNothingButTheJdk(@TempDir Path folder) throws Exception {
    Path core = Path.of(Retry.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    // Up to `mvn test` core is a folder of classes, and from `mvn package` on its jar.
    Path jar = Files.isDirectory(core) ? jarOf(core, folder.resolve("core.jar")) : core;

    ByteArrayOutputStream table = new ByteArrayOutputStream();
    new JarComparison().run(jar, new PrintStream(table, true, StandardCharsets.UTF_8));

    List<String> lines = table.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines.get(1)).matches("REPRISE +[0-9.]+ +0");
  }

  private static Path jarOf(Path classes, Path jar) {
    int exitCode =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--file",
                jar.toString(),
                "-C",
                classes.toString(),
                "dev",
                "-C",
                classes.toString(),
                "module-info.class");
    assertThat(exitCode).isZero();
    return jar;
  }
}
