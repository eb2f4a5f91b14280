package dev.reprise.delivery.catalog;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.Protocol;
import dev.reprise.policy.NotificationPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a subscription.
 *
 * @param protocol the kind of endpoint
 * @param endpoint a URL, a phone number, a mailbox, a queue or a function, as the protocol has it
 * @param carrier the name of the carrier that reaches the endpoint; null for none
 * @param format what the endpoint is sent
 * @param policy the subscription's own policy; null if it has none
 * @param filter which messages it wants
 * @param deadLetters what happens to a delivery that is given up
 * @param lifetime how long a delivery may take, all waiting included; null for ever
 * @param maxInFlight the most attempts at the same time, 1 to {@value #MAX_IN_FLIGHT}
 * @param http what an endpoint that is a URL asks for
 * @param deadLetterTarget the id of the subscription to which dead letters are moved; null to keep
 *     them
 * @param startSuspended whether it is suspended from the moment when it is created
 * @param suspendWhenGone whether the answer 410 of its endpoint suspends it
 * @param shards over how many shards its deliveries are spread, 1 to {@value #MAX_SHARDS}
 * @param namesByUts46 whether its owner has given or confirmed its host names since they are read
 *     by UTS 46; only where {@link NameChange#of} finds a difference does it matter
 * @param labelling by what people and programs of the operator recognize it
 */
public record SubscriptionSettings(
    Protocol protocol,
    String endpoint,
    @Nullable String carrier,
    BodyFormat format,
    @Nullable NotificationPolicy policy,
    AttributeFilter filter,
    DeadLetters deadLetters,
    @Nullable Duration lifetime,
    int maxInFlight,
    HttpEndpointSettings http,
    @Nullable String deadLetterTarget,
    boolean startSuspended,
    boolean suspendWhenGone,
    int shards,
    boolean namesByUts46,
    Labelling labelling) {
  /** The default of {@link #maxInFlight}. */
  public static final int DEFAULT_IN_FLIGHT = 64;

  /** The largest {@link #maxInFlight}. */
  public static final int MAX_IN_FLIGHT = 1000;

  /** The largest {@link #shards}: there are no more shards. */
  public static final int MAX_SHARDS = 1024;

  /** Settings that are new. */
  public SubscriptionSettings(
      Protocol protocol,
      String endpoint,
      @Nullable String carrier,
      BodyFormat format,
      @Nullable NotificationPolicy policy,
      AttributeFilter filter,
      DeadLetters deadLetters,
      @Nullable Duration lifetime,
      int maxInFlight,
      HttpEndpointSettings http,
      @Nullable String deadLetterTarget,
      boolean startSuspended,
      boolean suspendWhenGone,
      int shards) {
    this(
        protocol,
        endpoint,
        carrier,
        format,
        policy,
        filter,
        deadLetters,
        lifetime,
        maxInFlight,
        http,
        deadLetterTarget,
        startSuspended,
        suspendWhenGone,
        shards,
        true,
        Labelling.NONE);
  }

  /** Settings of a subscription that is in one shard. */
  public SubscriptionSettings(
      Protocol protocol,
      String endpoint,
      @Nullable String carrier,
      BodyFormat format,
      @Nullable NotificationPolicy policy,
      AttributeFilter filter,
      DeadLetters deadLetters,
      @Nullable Duration lifetime,
      int maxInFlight,
      HttpEndpointSettings http,
      @Nullable String deadLetterTarget,
      boolean startSuspended,
      boolean suspendWhenGone) {
    this(
        protocol,
        endpoint,
        carrier,
        format,
        policy,
        filter,
        deadLetters,
        lifetime,
        maxInFlight,
        http,
        deadLetterTarget,
        startSuspended,
        suspendWhenGone,
        1);
  }

  /** Settings for an HTTP {@code endpoint} with the default for everything else. */
  public static SubscriptionSettings of(String endpoint) {
    return new SubscriptionSettings(
        Protocol.HTTP,
        endpoint,
        null,
        BodyFormat.ENVELOPE,
        null,
        AttributeFilter.ALL,
        DeadLetters.KEEP,
        null,
        DEFAULT_IN_FLIGHT,
        HttpEndpointSettings.NONE,
        null,
        false,
        false);
  }

  /** Returns the same settings with another form of what is sent. */
  SubscriptionSettings withFormat(BodyFormat newFormat) {
    return with(newFormat, http);
  }

  /** Returns the same settings with others for a URL. */
  SubscriptionSettings withHttp(HttpEndpointSettings newHttp) {
    return with(format, newHttp);
  }

  /** Returns the same settings with deliveries that are spread over this many shards. */
  public SubscriptionSettings withShards(int newShards) {
    return with(format, http, newShards);
  }

  /** Returns the same settings, whose host names are meant as UTS 46 reads them, or perhaps not. */
  public SubscriptionSettings withNamesByUts46(boolean confirmed) {
    return with(format, http, shards, confirmed, labelling);
  }

  /** Returns the same settings under another name, with other labels or of another customer. */
  public SubscriptionSettings withLabelling(Labelling newLabelling) {
    return with(format, http, shards, namesByUts46, newLabelling);
  }

  private SubscriptionSettings with(BodyFormat newFormat, HttpEndpointSettings newHttp) {
    return with(newFormat, newHttp, shards);
  }

  private SubscriptionSettings with(
      BodyFormat newFormat, HttpEndpointSettings newHttp, int newShards) {
    return with(newFormat, newHttp, newShards, namesByUts46, labelling);
  }

  private SubscriptionSettings with(
      BodyFormat newFormat,
      HttpEndpointSettings newHttp,
      int newShards,
      boolean confirmed,
      Labelling newLabelling) {
    return new SubscriptionSettings(
        protocol,
        endpoint,
        carrier,
        newFormat,
        policy,
        filter,
        deadLetters,
        lifetime,
        maxInFlight,
        newHttp,
        deadLetterTarget,
        startSuspended,
        suspendWhenGone,
        newShards,
        confirmed,
        newLabelling);
  }

  /**
   * Returns what shares a limit, a pause and a retry budget with other subscriptions: the carrier,
   * or the host and port of a URL, or the function in this process.
   */
  public String group() {
    if (carrier != null) {
      return groupOf(carrier);
    }
    return endpoint.contains("://") ? host() : protocol.wireName() + " " + endpoint;
  }

  /** Returns scheme, host and port of an endpoint that is a URL. */
  String host() {
    return HostKey.of(endpoint);
  }

  /** Returns the group of all subscriptions with this carrier. */
  public static String groupOf(String carrier) {
    return "carrier " + carrier;
  }

  /** Whether the endpoint is a URL that is posted to. */
  public boolean isUrl() {
    return endpoint.contains("://") && (protocol == Protocol.HTTP || carrier == null);
  }
}
