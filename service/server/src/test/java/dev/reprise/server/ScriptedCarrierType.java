package dev.reprise.server;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.policy.ObjectType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A kind of carrier for tests: what each of its carriers does stands in {@link #PLAYS}. */
public final class ScriptedCarrierType implements CarrierType<ScriptedCarrierType.Settings> {
  /** The doings of carriers, by name. */
  public static final Map<String, Play> PLAYS = new ConcurrentHashMap<>();

  private static final ObjectType<Settings> SETTINGS = settingsType();

  /** The settings of a carrier of tests. */
  public record Settings(List<Address> addresses, Secret password) {}

  /** What a carrier has got, and what it does. */
  public static final class Play {
    public final List<CarrierAttempt> attempts = new CopyOnWriteArrayList<>();
    public volatile String fault;
    public volatile boolean throttles;
    public volatile String password = "";
    public volatile CarrierContext context;
    public volatile boolean closed;
  }

  /** The play of a carrier. */
  public static Play play(String name) {
    return PLAYS.computeIfAbsent(name, key -> new Play());
  }

  private static ObjectType<Settings> settingsType() {
    var type = ObjectType.of(Settings.class, "");
    var addresses =
        type.required("addresses", SettingCodecs.addresses(7), Settings::addresses, "Where to.");
    var password = type.derived("password", Secret.CODEC, Settings::password, "Its password.");
    return type.makes(values -> new Settings(values.get(addresses), values.find(password)));
  }

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.SMS, Protocol.EMAIL, Protocol.QUEUE);
  }

  @Override
  public ObjectType<Settings> settings() {
    return SETTINGS;
  }

  @Override
  public int defaultInFlight() {
    return 10;
  }

  @Override
  public String endpointProblem(Protocol protocol, String endpoint) {
    return protocol == Protocol.SMS && !endpoint.startsWith("+")
        ? "must be a phone number such as +4915112345678"
        : null;
  }

  @Override
  public Carrier open(Settings settings, CarrierContext context) {
    Play play = play(context.name());
    play.context = context;
    play.closed = false;
    play.password = settings.password() == null ? "" : settings.password().reveal();
    return new Scripted(play);
  }

  private record Scripted(Play play) implements Carrier {
    @Override
    public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
      String fault = play.fault;
      if (fault != null) {
        done.accept(AttemptOutcome.givenBack(fault, Duration.ofMillis(100)));
        return;
      }
      play.attempts.add(attempt);
      AttemptOutcome outcome =
          new AttemptOutcome(
              play.throttles ? CarrierFailure.THROTTLED : null,
              0,
              play.throttles ? "0x58 throttled" : "0x00 ok",
              "192.0.2.1:2775",
              new byte[0],
              1000);
      done.accept(
          play.throttles ? outcome : outcome.withReceiptIds(List.of("id-" + attempt.message())));
    }

    @Override
    public CarrierState state() {
      return new CarrierState(play.fault, play.fault == null ? 0 : 1_700_000_000_000L, 1, 0);
    }

    @Override
    public CompletionStage<String> test() {
      String fault = play.fault;
      return fault == null
          ? CompletableFuture.completedFuture("bound")
          : CompletableFuture.failedFuture(new CarrierException(fault));
    }

    @Override
    public Receipt read(byte[] report) {
      String text = new String(report, StandardCharsets.UTF_8);
      return text.startsWith("bounce ")
          ? new Receipt(text.substring(7).strip(), false, 550, "550 5.1.1 no such mailbox")
          : null;
    }

    @Override
    public void close() {
      play.closed = true;
    }
  }
}
