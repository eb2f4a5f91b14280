package dev.reprise.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class ClassTimesTest {
  @TempDir private Path folder;

  @Test
  void aClassIsOneLineWithItsTimes() throws Exception {
    Path times = folder.resolve("new/times.tsv");

    run(new ClassTimes(times.toString()), Sample.class);

    assertThat(Files.readAllLines(times))
        .singleElement()
        .asString()
        .matches("\\Q" + Sample.class.getName() + "\\E\\t\\d+\\t\\d+\\t\\d+");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void processorTimeIsThatOfEndedChildrenToo() throws Exception {
    Path times = folder.resolve("times.tsv");

    run(new ClassTimes(times.toString()), Starter.class);

    assertThat(Files.readString(times).strip().split("\t", -1)[2])
        .satisfies(millis -> assertThat(Long.parseLong(millis)).isGreaterThanOrEqualTo(100));
  }

  @Test
  void withoutAFileNothingIsWritten() throws Exception {
    run(new ClassTimes(""), Sample.class);

    assertThat(folder).isEmptyDirectory();
  }

  private static void run(ClassTimes listener, Class<?> testClass) {
    LauncherFactory.create(
            LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build())
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(testClass)).build(),
            listener);
  }

  static class Sample {
    @Test
    void first() {}

    @Nested
    class Inner {
      @Test
      void second() {}
    }
  }

  static class Starter {
    @Test
    void startsWhatUsesAProcessor() throws Exception {
      // Counts until the kernel has charged it with 0.2 s.
      Process child =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "while :; do read -r s </proc/$$/stat; set -- $s; [ ${14} -lt 20 ] || exit 0;"
                      + " done")
              .start();
      assertThat(child.waitFor(5, TimeUnit.MINUTES)).isTrue();
    }
  }
}
