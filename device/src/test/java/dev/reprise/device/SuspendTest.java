package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.queue.SleepingQueues;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine that sleeps while its monotonic clock stands still, and clocks that are set. */
class SuspendTest extends RuledDevice {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir private Path folder;
  private Instant started = NOW;
  private Duration slept = Duration.ZERO;
  private boolean tellsUptime = true;

  private DeviceClient client(boolean isOnDisk) throws Exception {
    QueueSettings queue = QueueSettings.defaults();
    return new DeviceClient(
        new ClientSettings(
            DeviceClient.builder(new HubProfile("test", hub, CredentialSupplier.none()))
                .time(time, time.executor())
                .callbackExecutor(time.executor())
                .onOutcome(outcomes::add)),
        SleepingQueues.open(
            isOnDisk ? queue.inFolder(folder) : queue,
            time::nanoTime,
            () -> started.plus(time.elapsed()).plus(slept),
            () -> tellsUptime ? time.elapsed().plus(slept).toNanos() : -1));
  }

  private static void enqueue(DeviceClient client, String id, Duration timeToLive) {
    client.enqueue(Message.builder().id(id).timeToLive(timeToLive).build());
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void whatExpiredInTheSleepIsNotSent(boolean isOnDisk, boolean isUptimeTold) throws Exception {
    tellsUptime = isUptimeTold;
    DeviceClient client = client(isOnDisk);
    enqueue(client, "stale", ofMinutes(10));
    enqueue(client, "good", ofHours(2));
    time.advance(ofMinutes(1));
    slept = ofHours(1);
    client.open();
    time.advance(ofSeconds(1));
    assertThat(hub.taken).containsExactly("good");
    assertThat(of("stale")).hasSize(1).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
    // The sleep counts once, and not against what came later.
    enqueue(client, "late", ofMinutes(10));
    time.advance(ofSeconds(1));
    assertThat(hub.taken).containsExactly("good", "late");
    closeInVirtualTime(client);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClockThatIsSetExpiresNothing(boolean isOnDisk) throws Exception {
    DeviceClient client = client(isOnDisk);
    enqueue(client, "good", ofMinutes(10));
    time.advance(ofMinutes(1));
    started = NOW.plus(ofHours(24));
    time.advance(ofSeconds(1));
    started = NOW.minus(ofHours(24));
    time.advance(ofSeconds(1));
    client.open();
    time.advance(ofSeconds(1));
    assertThat(hub.taken).containsExactly("good");
    closeInVirtualTime(client);
  }

  @Test
  void norDoesOneThatWasNotSetBeforeWhereNothingElseTells() throws Exception {
    tellsUptime = false;
    started = Instant.EPOCH;
    DeviceClient client = client(false);
    enqueue(client, "good", ofMinutes(10));
    time.advance(ofMinutes(1));
    started = NOW;
    client.open();
    time.advance(ofSeconds(1));
    assertThat(hub.taken).containsExactly("good");
  }

  @Test
  void theClockOfThisMachineTellsNoSleepWhileItIsAwake() throws Exception {
    // Virtual time passes; the machine's own clocks agree.
    DeviceClient client = open(builder -> builder);
    hub.rule = id -> DeviceErrors.exception("http", "503");
    enqueue(client, "good", ofMinutes(10));
    time.advance(ofMinutes(9));
    hub.rule = id -> null;
    time.advance(ofSeconds(30));
    assertThat(hub.taken).containsExactly("good");
  }

  @Test
  void aWaitIsProlongedByTheSleepAndNotCutShort() throws Exception {
    DeviceClient client = client(false);
    client.open();
    time.advance(ofSeconds(1));
    TransportException later =
        DeviceErrors.exception(ScriptedDevice.details("http", "429").withRetryAfter(ofSeconds(60)));
    hub.rule = id -> later;
    enqueue(client, "m", ofHours(2));
    time.advance(ofSeconds(30));
    slept = ofHours(1);
    time.advance(ofSeconds(29));
    assertThat(hub.attempts).isEqualTo(1);
    time.advance(ofSeconds(2));
    assertThat(hub.attempts).isEqualTo(2);
  }
}
