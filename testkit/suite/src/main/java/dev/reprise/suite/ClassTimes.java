package dev.reprise.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes down how long each test class takes: its name, then milliseconds of wall time, of
 * processor time and of wall time before its first test, divided by tabs, a line a class, appended
 * to the file that the system property {@value #FILE} names. Without the property it does nothing.
 *
 * <p>Processor time is that of this virtual machine and, on Linux, of the processes that it has
 * started. A class has its virtual machine to itself while it runs. What a process used that
 * outlived its starter is not counted. The time before the first test is that of servers, brokers
 * and browsers that a class starts once.
 *
 * <p>The JUnit Platform finds it by its service file. Thread-safe.
 */
public final class ClassTimes implements TestExecutionListener {
  static final String FILE = "reprise.test.times";
  private static final int ENGINE_AND_CLASS = 2;
  private static final long NOT_YET = -1;

  private record Began(long nanos, Duration processor, AtomicLong untilFirstNanos) {}

  private final Map<UniqueId, Began> running = new ConcurrentHashMap<>();
  private final String file;

  /** Called by the JUnit Platform. */
  public ClassTimes() {
    this(System.getProperty(FILE, ""));
  }

  ClassTimes(String file) {
    this.file = file;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (file.isEmpty()) {
      return;
    }
    if (test.isTest()) {
      classOf(test.getUniqueIdObject())
          .map(running::get)
          .ifPresent(
              began ->
                  began
                      .untilFirstNanos()
                      .compareAndSet(NOT_YET, System.nanoTime() - began.nanos()));
    } else if (isTestClass(test)) {
      running.put(
          test.getUniqueIdObject(),
          new Began(System.nanoTime(), processorTime(), new AtomicLong(NOT_YET)));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Began began = running.remove(test.getUniqueIdObject());
    if (began == null || !(test.getSource().orElseThrow() instanceof ClassSource source)) {
      return;
    }
    String line =
        String.format(
            Locale.ROOT,
            "%s\t%d\t%d\t%d\n",
            source.getClassName(),
            Duration.ofNanos(System.nanoTime() - began.nanos()).toMillis(),
            Math.max(0, processorTime().minus(began.processor()).toMillis()),
            Duration.ofNanos(Math.max(0, began.untilFirstNanos().get())).toMillis());
    try {
      Path target = Path.of(file);
      Files.createDirectories(target.toAbsolutePath().getParent());
      Files.writeString(target, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isTestClass(TestIdentifier test) {
    return test.getSource().orElse(null) instanceof ClassSource
        && test.getUniqueIdObject().getSegments().size() == ENGINE_AND_CLASS;
  }

  private static Optional<UniqueId> classOf(UniqueId test) {
    UniqueId id = test;
    while (id.getSegments().size() > ENGINE_AND_CLASS) {
      id = id.removeLastSegment();
    }
    return id.getSegments().size() == ENGINE_AND_CLASS ? Optional.of(id) : Optional.empty();
  }

  private static Duration processorTime() {
    Map<Long, Duration> used = new HashMap<>();
    add(used, ProcessHandle.current());
    ProcessHandle.current().descendants().forEach(child -> add(used, child));
    return used.values().stream().reduce(Duration.ZERO, Duration::plus);
  }

  private static void add(Map<Long, Duration> used, ProcessHandle process) {
    Duration own = process.info().totalCpuDuration().orElse(Duration.ZERO);
    used.put(process.pid(), own.plus(ofEndedChildren(process.pid())));
  }

  /** Linux only: what the children of a process have used that it has waited for. */
  private static Duration ofEndedChildren(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), UTF_8);
      // After the name, which may hold blanks: fields 3 and on. 16 and 17 are the children's, in
      // hundredths of a second.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Duration.ofMillis(10 * (Long.parseLong(fields[13]) + Long.parseLong(fields[14])));
    } catch (IOException e) {
      return Duration.ZERO;
    }
  }
}
