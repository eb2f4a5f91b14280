package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Carriers to brokers on this machine, and attempts through them. */
final class AmqpCalls {
  static final String PASSWORD = "correct horse";

  private AmqpCalls() {}

  static Carrier open(int port) {
    return open(port, new TestContext(100), "");
  }

  /**
   * Opens a carrier.
   *
   * @param more further settings, such as {@code , "durable": false}
   */
  static Carrier open(int port, TestContext context, String more) {
    return new AmqpCarrierType().open(settings(port, more), context);
  }

  static AmqpCarrierSettings settings(int port, String more) {
    return CarrierCalls.settings(
        new AmqpCarrierType(), "{\"addresses\": \"127.0.0.1:" + port + "\"" + more + "}");
  }

  static String login(String password) {
    return ", \"username\": \"" + ArtemisBroker.USER + "\", \"password\": \"" + password + "\"";
  }

  static CarrierAttempt attempt(String address) {
    return TestAttempts.of(Protocol.QUEUE, address, "hello");
  }

  static CarrierAttempt attempt(String address, Duration timeout) {
    return TestAttempts.withTimeout(attempt(address), timeout);
  }

  static AttemptOutcome send(Carrier carrier, String address) throws InterruptedException {
    return CarrierCalls.send(carrier, attempt(address));
  }

  static CompletableFuture<AttemptOutcome> start(Carrier carrier, String address) {
    return CarrierCalls.start(carrier, attempt(address));
  }

  /** Sends as the engine does: what is given back is sent again. */
  static AttemptOutcome sendUntilMade(Carrier carrier, String address) throws InterruptedException {
    return Await.value(
        "an attempt that is made", () -> send(carrier, address), AttemptOutcome::made);
  }
}
