package dev.reprise.cli.device;

import dev.reprise.delivery.pause.Pauses;
import dev.reprise.device.ConnectionState;
import dev.reprise.device.ConnectionStatus;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.DeviceClientBuilder;
import dev.reprise.device.DeviceCounters;
import dev.reprise.device.StatusReason;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.queue.QueueSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The devices of a plan. Used by one thread. */
final class DeviceFleet implements AutoCloseable {
  /** Outcomes are reported outside the clients, so they may come a little later. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration TOLD_LOOK = Duration.ofMillis(5);

  private final DevicePlan plan;
  private final byte[] body;

  /** Distinguishes the messages of this run from those that an earlier one left on disk. */
  private final String run = UUID.randomUUID().toString();

  private final List<DeviceClient> clients = new ArrayList<>();
  private final DeviceOutcomes outcomes = new DeviceOutcomes();
  private final DeviceOutcomes earlier = new DeviceOutcomes();

  /** The number of outcomes that the clients have reported. */
  private final AtomicLong told = new AtomicLong();

  private long sent;

  DeviceFleet(DevicePlan plan) {
    this.plan = plan;
    this.body = new byte[plan.size()];
    Arrays.fill(body, (byte) 'x');
  }

  DeviceOutcomes outcomes() {
    return outcomes;
  }

  /** Returns how the messages ended that an earlier run had left on disk. */
  DeviceOutcomes earlierOutcomes() {
    return earlier;
  }

  /**
   * Opens devices until so many are open.
   *
   * @throws IllegalArgumentException when the URI is not one that a device can use
   * @throws IOException when a folder cannot be used for a queue
   */
  void open(int devices) throws IOException {
    while (clients.size() < devices) {
      DeviceClient client = client(clients.size());
      clients.add(client);
      // The state of the client shows the result.
      var unused = client.open();
    }
  }

  private DeviceClient client(int index) throws IOException {
    String name = plan.deviceName(index);
    HubProfile profile = HubProfiles.fromUri(plan.hub(), name, plan.tls());
    DeviceClientBuilder builder = DeviceClient.builder(profile).onOutcome(this::onOutcome);
    Path queue = plan.queue();
    if (queue != null) {
      builder.queue(QueueSettings.defaults().inFolder(queue.resolve(name)));
    }
    if (plan.policy() != null) {
      builder.connectionRetryPolicy(plan.policy());
    }
    return builder.build();
  }

  private void onOutcome(MessageOutcome outcome) {
    if (!outcome.messageId().startsWith(run)) {
      earlier.ended(outcome.kind(), outcome.cause());
    }
    told.incrementAndGet();
  }

  /** Sends until so many messages were due; those of devices that are not open yet are left out. */
  void send(long due) {
    while (sent < due) {
      int index = (int) (sent % plan.count());
      if (index < clients.size()) {
        Message message = Message.builder().id(run + "-" + sent).body(body).build();
        outcomes.sent();
        var unused =
            clients
                .get(index)
                .send(message)
                .whenComplete((outcome, failure) -> outcomes.ended(failure));
      }
      sent++;
    }
  }

  DeviceState state() {
    DeviceState.Sum sum = new DeviceState.Sum();
    clients.forEach(client -> sum.add(client.status(), client.counters()));
    return sum.state();
  }

  /** Returns whether every message has ended, those of an earlier run too. */
  boolean isDrained() {
    return outcomes.endedCount() == outcomes.sentCount() && state().isDrained();
  }

  /** Returns whether all are open and every one of them has given up. */
  boolean hasGivenUp() {
    return clients.size() == plan.count()
        && clients.stream().map(DeviceClient::status).allMatch(DeviceFleet::isGivenUp);
  }

  private static boolean isGivenUp(ConnectionStatus status) {
    return status.state() == ConnectionState.DISCONNECTED && status.reason() != StatusReason.CLOSED;
  }

  /** Closes all devices, and waits until every message has ended and its outcome was reported. */
  @Override
  public void close() {
    clients.forEach(DeviceClient::close);
    Pauses pauses = Pauses.every(TOLD_LOOK).within(MAX_WAIT);
    while (!isAllTold() && pauses.nextUnlessInterrupted()) {
      // Outcomes are under way to their listeners.
    }
  }

  /** Stages and listeners are notified separately, in either order. */
  private boolean isAllTold() {
    DeviceCounters counted = state().counted();
    // A stored message is reported to its sender only; the listener reports it in a later run.
    long ended =
        counted.acknowledged()
            + counted.rejected()
            + counted.expired()
            + counted.dropped()
            + counted.cancelled();
    return outcomes.endedCount() >= outcomes.sentCount() && told.get() >= ended;
  }
}
