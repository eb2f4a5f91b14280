package dev.reprise.bench.device;

import dev.reprise.device.ConnectionState;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.message.Message;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** A device that numbers its messages and records the state of each. Thread-safe. */
final class ChaosDevice {
  private static final int BODY_BYTES = 128;

  private final int number;
  private final DeviceClient client;
  private final BitSet acknowledged = new BitSet();
  private final BitSet arrived = new BitSet();
  private int offered;
  private int failed;

  ChaosDevice(int number, DeviceClient client) {
    this.number = number;
    this.client = client;
  }

  /** Returns the number of the device that has sent this body. */
  static int deviceOf(byte[] body) {
    return ByteBuffer.wrap(body).getInt();
  }

  DeviceClient client() {
    return client;
  }

  void send() {
    int sequence = next();
    byte[] body = ByteBuffer.allocate(BODY_BYTES).putInt(number).putInt(sequence).array();
    var unused =
        client
            .send(Message.of(body))
            .whenComplete((outcome, failure) -> ended(sequence, failure == null));
  }

  private synchronized int next() {
    return offered++;
  }

  private synchronized void ended(int sequence, boolean isAcknowledged) {
    if (isAcknowledged) {
      acknowledged.set(sequence);
    } else {
      failed++;
    }
  }

  /** Notes an arrival; false when the message had arrived before. */
  synchronized boolean arrived(byte[] body) {
    int sequence = ByteBuffer.wrap(body).getInt(Integer.BYTES);
    boolean isNew = !arrived.get(sequence);
    arrived.set(sequence);
    return isNew;
  }

  boolean isUp() {
    return client.status().state() == ConnectionState.CONNECTED;
  }

  synchronized boolean isDone() {
    return acknowledged.cardinality() + failed == offered;
  }

  synchronized long offered() {
    return offered;
  }

  synchronized long acknowledged() {
    return acknowledged.cardinality();
  }

  synchronized long failed() {
    return failed;
  }

  synchronized long received() {
    return arrived.cardinality();
  }

  synchronized long acknowledgedAndMissing() {
    BitSet missing = (BitSet) acknowledged.clone();
    missing.andNot(arrived);
    return missing.cardinality();
  }

  synchronized long unacknowledgedAndMissing() {
    BitSet known = (BitSet) acknowledged.clone();
    known.or(arrived);
    return (long) offered - known.cardinality();
  }
}
