package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.shard.PayloadRecord;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * Checks whether receivers do right, by a few requests that are made as attempts are: to addresses
 * that are allowed, with the subscription's headers, login, TLS and proxy. They are no deliveries:
 * no shard knows of them, and nothing of them is stored. Safe for use by many threads.
 */
public final class ReceiverChecks {
  private static final String CONTENT_TYPE = "application/json";
  private static final byte[] ATTRIBUTES = "{\"reprise-test\":\"true\"}".getBytes(UTF_8);

  private final Catalog catalog;
  private final HttpAttempts http;
  private final LongSupplier nanoTime;

  /** Checks the receivers of a catalog by the attempts that deliveries have as well. */
  public ReceiverChecks(Catalog catalog, HttpAttempts http) {
    this(catalog, http, System::nanoTime);
  }

  ReceiverChecks(Catalog catalog, HttpAttempts http, LongSupplier nanoTime) {
    this.catalog = catalog;
    this.http = http;
    this.nanoTime = nanoTime;
  }

  /**
   * Checks the receiver of a subscription whose endpoint is a URL. The stage completes on any
   * thread, with one finding of each {@link ReceiverFinding.Check} in their order; actions that
   * depend on it must not block.
   */
  public CompletionStage<List<ReceiverFinding>> check(Subscription subscription) {
    return new ReceiverCheck(catalog, http, nanoTime, subscription).begin();
  }

  static MessageId message() {
    return MessageId.create(
        System.currentTimeMillis(), () -> ThreadLocalRandom.current().nextLong());
  }

  /** A message that says that it is a test. */
  static byte[] small(Subscription subscription) {
    return payload(start(subscription) + "}");
  }

  /** The same, as large as a message may be. */
  static byte[] large(Subscription subscription) {
    String start = start(subscription) + ",\"filler\":\"";
    String end = "\"}";
    char[] filler = new char[Payload.MAX_BYTES - ATTRIBUTES.length - start.length() - end.length()];
    Arrays.fill(filler, 'x');
    return payload(start + new String(filler) + end);
  }

  private static String start(Subscription subscription) {
    return "{\"test\":true,\"subscription\":\"" + subscription.id() + "\"";
  }

  private static byte[] payload(String body) {
    return PayloadRecord.encode(new Payload(CONTENT_TYPE, ATTRIBUTES, body.getBytes(UTF_8)));
  }
}
