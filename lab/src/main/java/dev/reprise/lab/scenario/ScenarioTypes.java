package dev.reprise.lab.scenario;

import static dev.reprise.lab.scenario.ScenarioCodecs.POSITIVE_SPAN;
import static dev.reprise.lab.scenario.ScenarioCodecs.SHARE;
import static dev.reprise.lab.scenario.ScenarioCodecs.SPAN;

import dev.reprise.lab.scenario.CallModel.Layer;
import dev.reprise.lab.scenario.CallModel.Queue;
import dev.reprise.lab.scenario.CallModel.ServiceTime;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The objects of scenarios, each described once: reader, writer, JSON Schema and the tables of
 * reference follow from it.
 */
final class ScenarioTypes {
  private static final int MAX_COST = 1_000_000_000;

  static final ObjectType<Costs> COSTS = costs();
  static final ObjectType<Overactive> OVERACTIVE = overactive();
  static final ObjectType<Minority> MINORITY = minority();
  static final ObjectType<ContentionModel> CONTENTION = contention();
  static final ObjectType<ServiceTime> SERVICE_TIME = serviceTime();
  static final ObjectType<Queue> QUEUE = queue();
  static final ObjectType<Layer> LAYER = layer();
  static final ObjectType<Failure.Interval> INTERVAL = interval();

  /** The hints that a service gives with a refusal, by type. */
  static final Map<String, ObjectType<? extends Hint>> HINTS =
      ScenarioWords.of(
          "none",
          ObjectType.of(Hint.None.class, "Nothing.").makes(values -> new Hint.None()),
          "fixed",
          fixedHint(),
          "uniform",
          uniformHint(),
          "slots",
          ObjectType.of(Hint.Slots.class, "The next free slot of the quota, to each another one.")
              .makes(values -> new Hint.Slots()));

  /** The failures, by type, but for those that were recorded. */
  static final Map<String, ObjectType<? extends Failure>> FAILURES =
      ScenarioWords.of(
          "outage", outage(), "brown-out", brownOut(), "random", random(), "bursts", bursts());

  private ScenarioTypes() {}

  private static ObjectType<Costs> costs() {
    var type = ObjectType.of(Costs.class, "What attempts cost.");
    var bytes =
        type.optional(
            "bytesPerAttempt",
            Codec.between(0, MAX_COST),
            0,
            Costs::bytesPerAttempt,
            "What a device sends for one attempt.");
    var work =
        type.optional(
            "workPerSuccess",
            SPAN,
            Duration.ZERO,
            Costs::workPerSuccess,
            "What an accepted attempt takes of the service's processors.");
    var price =
        type.optional(
            "pricePerMillion",
            Codec.number(
                "number, 0 to " + MAX_COST,
                BigDecimal.valueOf(MAX_COST),
                JsonNodeFactory.instance
                    .objectNode()
                    .put("type", "number")
                    .put("minimum", 0)
                    .put("maximum", MAX_COST)),
            0.0,
            Costs::pricePerMillion,
            "Of a million attempts.");
    return type.makes(values -> new Costs(values.get(bytes), values.get(work), values.get(price)));
  }

  private static ObjectType<Overactive> overactive() {
    var type =
        ObjectType.of(
            Overactive.class,
            "Devices that ask no policy: each makes an attempt in every interval, connected or"
                + " not.");
    var share = type.required("share", SHARE, Overactive::share, "How many of the devices.");
    var interval =
        type.optional(
            "interval",
            POSITIVE_SPAN,
            Overactive.NONE.interval(),
            Overactive::interval,
            "More than 0.");
    return type.makes(values -> new Overactive(values.get(share), values.get(interval)));
  }

  private static ObjectType<Minority> minority() {
    var type =
        ObjectType.of(
            Minority.class, "A part of the fleet that keeps another policy, such as old firmware.");
    var share = type.required("share", SHARE, Minority::share, "How many of the devices.");
    var policy = type.required("policy", ScenarioCodecs.POLICY, Minority::policy, "");
    return type.makes(values -> new Minority(values.get(share), values.get(policy)));
  }

  private static ObjectType<ContentionModel> contention() {
    var type =
        ObjectType.of(
            ContentionModel.class, "Clients that change one row under optimistic locking.");
    var clients =
        type.required(
            "clients",
            Codec.between(1, 1_000_000),
            ContentionModel::clients,
            "How many; all start at once.");
    var mean =
        type.optional(
            "hopMean",
            POSITIVE_SPAN,
            Duration.ofMillis(10),
            ContentionModel::hopMean,
            "Of one way between client and server; more than 0.");
    var deviation =
        type.optional(
            "hopDeviation",
            SPAN,
            Duration.ofMillis(2),
            ContentionModel::hopDeviation,
            "Standard deviation of a way.");
    return type.makes(
        values ->
            new ContentionModel(values.get(clients), values.get(mean), values.get(deviation)));
  }

  private static ObjectType<ServiceTime> serviceTime() {
    var type = ObjectType.of(ServiceTime.class, "");
    var mean = type.required("mean", SPAN, ServiceTime::mean, "");
    var perRequest =
        type.optional(
            "perRequest",
            SPAN,
            Duration.ZERO,
            ServiceTime::perRequest,
            "Added for each request beside it.");
    var shape =
        type.optional(
            "shape",
            ScenarioCodecs.words(
                ScenarioWords.of(
                    "fixed", ServiceTime.Shape.FIXED,
                    "exponential", ServiceTime.Shape.EXPONENTIAL)),
            ServiceTime.Shape.EXPONENTIAL,
            ServiceTime::shape,
            "How it is distributed.");
    return type.makes(
        values -> new ServiceTime(values.get(mean), values.get(perRequest), values.get(shape)));
  }

  private static ObjectType<Queue> queue() {
    var type = ObjectType.of(Queue.class, "Where requests wait for a server.");
    var order =
        type.optional(
            "order",
            ScenarioCodecs.words(
                ScenarioWords.of("fifo", Queue.Order.FIFO, "lifo", Queue.Order.LIFO)),
            Queue.UNBOUNDED.order(),
            Queue::order,
            "Who is served next.");
    var bound =
        type.optional(
            "bound",
            ScenarioCodecs.BOUND,
            Queue.UNBOUNDED.bound(),
            Queue::bound,
            "How many may wait.");
    var drops =
        type.optional(
            "dropsExpired",
            Codec.FLAG,
            Queue.UNBOUNDED.dropsExpired(),
            Queue::dropsExpired,
            "Whether requests are dropped whose client has given up.");
    return type.makes(values -> new Queue(values.get(order), values.get(bound), values.get(drops)));
  }

  private static ObjectType<Layer> layer() {
    var type = ObjectType.of(Layer.class, "");
    var name = type.required("name", ScenarioCodecs.TEXT, Layer::name, "For the report.");
    var policy =
        type.derived(
            "policy",
            ScenarioCodecs.POLICY,
            Layer::policy,
            "Its own; the policy that is tried when not given.");
    var timeout =
        type.derived("timeout", POSITIVE_SPAN, Layer::timeout, "Of its attempts; more than 0.");
    return type.makes(
        values -> new Layer(values.get(name), values.find(policy), values.find(timeout)));
  }

  private static ObjectType<Hint.Fixed> fixedHint() {
    var type = ObjectType.of(Hint.Fixed.class, "The same to everybody.");
    var delay = type.required("delay", SPAN, Hint.Fixed::delay, "");
    return type.makes(values -> new Hint.Fixed(values.get(delay)));
  }

  private static ObjectType<Hint.Uniform> uniformHint() {
    var type = ObjectType.of(Hint.Uniform.class, "Drawn evenly between two bounds.");
    var lowest =
        type.optional("lowest", SPAN, Duration.ZERO, Hint.Uniform::lowest, "Before highest.");
    var highest = type.required("highest", SPAN, Hint.Uniform::highest, "");
    return type.makes(values -> new Hint.Uniform(values.get(lowest), values.get(highest)));
  }

  private static ObjectType<Failure.Outage> outage() {
    var type = ObjectType.of(Failure.Outage.class, "Nobody reaches the service.");
    var from =
        type.optional(
            "from",
            SPAN,
            Duration.ZERO,
            Failure.Outage::from,
            "Before to. In a fleet, devices that are back stay connected: within spread, or within"
                + " an outage of the same devices before it.");
    var to = type.required("to", SPAN, Failure.Outage::to, "");
    var zone =
        type.optional(
            "zone",
            ScenarioCodecs.ZONE,
            Failure.Zone.ALL,
            Failure.Outage::zone,
            "Whom it hits: 1/3 is the first third of the clients.");
    return type.makes(
        values -> new Failure.Outage(values.get(from), values.get(to), values.get(zone)));
  }

  private static ObjectType<Failure.BrownOut> brownOut() {
    var type =
        ObjectType.of(
            Failure.BrownOut.class, "The service can do only a share of what it usually can.");
    var from = type.optional("from", SPAN, Duration.ZERO, Failure.BrownOut::from, "Before to.");
    var to = type.required("to", SPAN, Failure.BrownOut::to, "");
    var capacity =
        type.required("capacity", SHARE, Failure.BrownOut::capacity, "What is left of it.");
    return type.makes(
        values -> new Failure.BrownOut(values.get(from), values.get(to), values.get(capacity)));
  }

  private static ObjectType<Failure.Random> random() {
    var type =
        ObjectType.of(
            Failure.Random.class,
            "Each attempt fails by chance, after the service has done its work.");
    var probability = type.required("probability", SHARE, Failure.Random::probability, "");
    return type.makes(values -> new Failure.Random(values.get(probability)));
  }

  private static ObjectType<Failure.Bursts> bursts() {
    var type = ObjectType.of(Failure.Bursts.class, "Good and bad times take turns.");
    var good =
        type.required(
            "good",
            POSITIVE_SPAN,
            Failure.Bursts::good,
            "Mean length of a good time, more than 0.");
    var bad =
        type.required(
            "bad", POSITIVE_SPAN, Failure.Bursts::bad, "Mean length of a bad time, more than 0.");
    var probability =
        type.optional(
            "probability", SHARE, 1.0, Failure.Bursts::probability, "Of a failure in a bad time.");
    return type.makes(
        values -> new Failure.Bursts(values.get(good), values.get(bad), values.get(probability)));
  }

  private static ObjectType<Failure.Interval> interval() {
    var type = ObjectType.of(Failure.Interval.class, "In order of time, not overlapping.");
    var from = type.optional("from", SPAN, Duration.ZERO, Failure.Interval::from, "Before to.");
    var to = type.required("to", SPAN, Failure.Interval::to, "");
    var probability =
        type.optional("probability", SHARE, 1.0, Failure.Interval::probability, "Of a failure.");
    return type.makes(
        values -> new Failure.Interval(values.get(from), values.get(to), values.get(probability)));
  }
}
