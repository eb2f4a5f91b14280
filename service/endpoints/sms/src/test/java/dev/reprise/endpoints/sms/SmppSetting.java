package dev.reprise.endpoints.sms;

import dev.reprise.core.backoff.Backoff;
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
import javax.net.ssl.SSLSocketFactory;

/** A carrier of a test with its surroundings. */
final class SmppSetting implements AutoCloseable {
  static final String NUMBER = "+4915112345678";

  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(50));

  final TestContext context;
  final SmppCarrier carrier;

  /** A carrier with settings beside its addresses and its account, such as {@code "binds": 2}. */
  SmppSetting(String addresses, int maxInFlight, String moreSettings) {
    this(addresses, maxInFlight, moreSettings, (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  SmppSetting(String addresses, int maxInFlight, String moreSettings, SSLSocketFactory tls) {
    this(json(addresses, "reprise", "secret", moreSettings), maxInFlight, tls);
  }

  private SmppSetting(String json, int maxInFlight, SSLSocketFactory tls) {
    context = new TestContext(maxInFlight);
    carrier =
        new SmppCarrier(CarrierCalls.settings(new SmppCarrierType(), json), context, tls, BACKOFF);
    carrier.start();
  }

  private static String json(String addresses, String account, String password, String more) {
    return "{\"addresses\": [%s], \"systemId\": \"%s\", \"password\": \"%s\"%s}"
        .formatted(quoted(addresses), account, password, more.isEmpty() ? "" : ", " + more);
  }

  static SmppSetting withAccount(
      String addresses, String account, String password, String moreSettings) {
    return new SmppSetting(
        json(addresses, account, password, moreSettings),
        10,
        (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  private static String quoted(String addresses) {
    return "\"" + String.join("\", \"", addresses.split(",")) + "\"";
  }

  /** A carrier that has its connections. */
  static SmppSetting bound(String addresses, int maxInFlight, String moreSettings) {
    SmppSetting setting = new SmppSetting(addresses, maxInFlight, moreSettings);
    setting.awaitConnections(1);
    return setting;
  }

  void awaitConnections(int connections) {
    Await.until(
        connections + " connections",
        carrier::state,
        () -> carrier.state().connections() >= connections);
  }

  static CarrierAttempt attempt(String text) {
    return TestAttempts.of(Protocol.SMS, NUMBER, text);
  }

  CompletableFuture<AttemptOutcome> start(String text) {
    return CarrierCalls.start(carrier, attempt(text));
  }

  AttemptOutcome send(String text) throws InterruptedException {
    return CarrierCalls.send(carrier, attempt(text));
  }

  /** Sends until an attempt is made: those that are given back are begun again. */
  AttemptOutcome sendUntilMade(String text) {
    return Await.value("an attempt that is made", () -> send(text), AttemptOutcome::made);
  }

  Carrier carrier() {
    return carrier;
  }

  @Override
  public void close() {
    carrier.close();
  }
}
