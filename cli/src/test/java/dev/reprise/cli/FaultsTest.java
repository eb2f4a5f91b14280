package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.FaultControl.Errno;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real process under load while calls of the operating system fail, once each: at every place
 * where the store writes or reads, every error that may pass.
 */
@Tag("slow")
class FaultsTest {
  @TempDir Path data;
  @TempDir Path temp;
  private FaultControl faults;
  private ServiceProcess service;
  private Load load;

  /** Where the store can be hit. */
  private record Place(String name, int calls, String kind) {}

  private static final List<Place> PLACES =
      List.of(
          new Place("log write", FaultControl.WRITE, ".log"),
          new Place("log sync", FaultControl.SYNC, ".log"),
          new Place("log open", FaultControl.OPEN, ".log"),
          new Place("table write", FaultControl.WRITE, ".sst"),
          new Place("table sync", FaultControl.SYNC, ".sst"),
          new Place("table open", FaultControl.OPEN, ".sst"),
          new Place("table read", FaultControl.READ, ".sst"),
          new Place("manifest write", FaultControl.WRITE, "MANIFEST-"),
          new Place("manifest sync", FaultControl.SYNC, "MANIFEST-"));

  private static final String LARGE = "{\"body\":{\"filler\":\"%s\"}}".formatted("x".repeat(1000));

  private static final List<Errno> PASSING = List.of(Errno.EIO, Errno.EMFILE, Errno.ENOSPC);

  @BeforeEach
  void start() throws Exception {
    faults = new FaultControl(Shim.compile("faults", temp), temp.resolve("faults.control"));
    service = new ServiceProcess(data, temp.resolve("stderr"));
    service.start(faults.environment());
    load = new Load(service, 200_000);
  }

  @AfterEach
  void end() throws Exception {
    if (load != null) {
      load.close();
    }
    if (service != null) {
      service.close();
    }
  }

  @Test
  void oneErrorAtEachPlaceLosesNothingAndPublishingGoesOn() throws Exception {
    load.start();
    int cases = 0;
    for (Place place : PLACES) {
      for (Errno errno : PASSING) {
        String what = errno + " at " + place.name();
        faults.fail(0, place.calls(), place.kind(), errno, 1);
        service.await(what, () -> faults.hits(0) == 1);
        assertGoesOn(what);
        cases++;
      }
    }
    // Once more while the store is being reopened.
    faults.fail(0, FaultControl.READ, "MANIFEST-", Errno.EIO, 1);
    faults.fail(1, FaultControl.SYNC, ".log", Errno.EIO, 1);
    service.await("the second error", () -> faults.hits(0) == 1 && faults.hits(1) == 1);
    assertGoesOn("EIO while reopening");

    load.stop();
    load.assertNothingLost();
    System.out.printf("%d faults, %d messages acknowledged, 0 lost%n", cases, load.acknowledged());
  }

  private void assertGoesOn(String what) throws Exception {
    assertThat(service.status("/health/live")).as(what).isEqualTo(200);
    assertThat(service.status("/health/ready")).as(what).isIn(200, 503);
    load.awaitMoreAcknowledged(20);
    service.await("ready after " + what, () -> service.status("/health/ready") == 200);
    assertThat(service.status("/health/live")).as(what).isEqualTo(200);
  }

  /** A quota is spent though the disk has space, so the service cannot see it come. */
  @Test
  void aSpentQuotaRefusesPublishesUntilThereIsRoomAgain() throws Exception {
    load.start();
    load.awaitMoreAcknowledged(20);
    for (String kind : List.of(".log", ".sst")) {
      faults.fail(0, FaultControl.WRITE, kind, Errno.EDQUOT, Integer.MAX_VALUE);
      service.await(
          "a publish to be refused as on a full disk, at " + kind,
          () -> service.request("POST", "/v1/topics/orders/messages", LARGE).statusCode() == 507);
      assertThat(service.status("/health/live")).isEqualTo(200);
      faults.heal();
      assertGoesOn("a spent quota at " + kind);
    }
    load.stop();
    load.assertNothingLost();
  }

  @Test
  void aStoreThatCannotBeReopenedEndsTheProcessForItsSupervisor() throws Exception {
    load.start();
    load.awaitMoreAcknowledged(20);
    Path current = data.resolve("CURRENT");
    byte[] content = Files.readAllBytes(current);
    Files.delete(current);
    faults.fail(0, FaultControl.WRITE, ".log", Errno.EIO, 1);

    service.await("/health/live to fail", () -> service.status("/health/live") == 503);
    assertThat(service.awaitExit()).isEqualTo(8);
    assertThat(service.log())
        .contains(
            "reprise: the store has failed: data folder " + data + " is damaged, in " + current)
        .contains("exit code 8; started again, it ends the same way");

    Files.write(current, content);
    service.start(Map.of());
    load.awaitMoreAcknowledged(20);
    load.stop();
    load.assertNothingLost();
  }
}
