package dev.reprise.cluster.base;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node is refused in a time that passes when the test says so. */
class BrokerRefusalsTest {
  @TempDir Path folder;
  private Path file;
  private long nowNanos = 77;
  private BrokerRefusals refusals;

  @BeforeEach
  void start() throws IOException {
    file = Files.writeString(folder.resolve("kafka.properties"), "password=old\n");
    refusals = new BrokerRefusals(settings(Map.of(ClusterSettings.CLIENTS_FILE, file.toString())));
  }

  private static ClusterSettings settings(Map<String, String> clients) {
    return new ClusterSettings(
        "127.0.0.1:9092",
        "reprise",
        "one",
        "",
        clients,
        1,
        (short) 1,
        0,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }

  private ThrowingCallable refusedAfterSeconds(long seconds) {
    return () -> {
      nowNanos += TimeUnit.SECONDS.toNanos(seconds);
      refusals.add(new SaslAuthenticationException("invalid credentials"), nowNanos);
    };
  }

  @Test
  void aNewPasswordInTheFileEndsTheNodeAfterAWhile() throws IOException {
    assertThatCode(refusedAfterSeconds(0)).doesNotThrowAnyException();
    Files.writeString(file, "password=another\n");
    assertThatCode(refusedAfterSeconds(20)).doesNotThrowAnyException();

    assertThatThrownBy(refusedAfterSeconds(10))
        .isInstanceOf(ClusterException.class)
        .hasMessage(
            "the brokers refuse this node (invalid credentials), and the file of"
                + " --cluster-properties, "
                + file
                + ", has changed since it was read");
  }

  @Test
  void aFileThatIsTheSameCannotHelp() {
    for (int i = 0; i < 20; i++) {
      assertThatCode(refusedAfterSeconds(20)).doesNotThrowAnyException();
    }
  }

  @Test
  void aRefusalThatEndedMeanwhileIsForgotten() throws IOException {
    assertThatCode(refusedAfterSeconds(0)).doesNotThrowAnyException();
    Files.writeString(file, "password=another\n");

    assertThatCode(refusedAfterSeconds(60)).doesNotThrowAnyException();
  }

  @Test
  void aFileThatIsMissingJustNowIsWaitedFor() throws IOException {
    assertThatCode(refusedAfterSeconds(0)).doesNotThrowAnyException();
    Files.delete(file);
    assertThatCode(refusedAfterSeconds(30)).doesNotThrowAnyException();

    Files.writeString(file, "password=another\n");
    assertThatThrownBy(refusedAfterSeconds(1)).isInstanceOf(ClusterException.class);
  }

  @Test
  void aNodeWithoutAFileGoesOnTrying() {
    refusals = new BrokerRefusals(settings(Map.of()));
    for (int i = 0; i < 20; i++) {
      assertThatCode(refusedAfterSeconds(20)).doesNotThrowAnyException();
    }
  }
}
