package dev.reprise.lab.scenario;

import dev.reprise.lab.scenario.CallModel.Clients;
import dev.reprise.lab.scenario.CallModel.Layer;
import dev.reprise.lab.scenario.CallModel.Load;
import dev.reprise.lab.scenario.CallModel.Queue;
import dev.reprise.lab.scenario.CallModel.Service;
import dev.reprise.lab.scenario.CallModel.ServiceTime;
import dev.reprise.lab.scenario.CallModel.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads clients and what they call. */
final class CallReader {
  private static final Load SOME_LOAD = new Load.Closed(Duration.ZERO);
  private static final ServiceTime SOME_TIME = time(Duration.ZERO);
  private static final Clients SOME_CLIENTS = new Clients(1, false, SOME_LOAD, null);
  private static final Layer SOME_LAYER = new Layer("", null, null);
  private static final Service SOME_SERVICE =
      new Service(0, SOME_TIME, Queue.UNBOUNDED, null, new Hint.None());
  private static final CallModel SOME =
      new CallModel(
          SOME_CLIENTS,
          List.of(),
          SOME_SERVICE,
          Duration.ZERO,
          List.of(),
          Duration.ZERO,
          Duration.ofSeconds(1));

  private final ScenarioReader whole;

  CallReader(ScenarioReader whole) {
    this.whole = whole;
  }

  CallModel read(String path, JsonNode value) {
    Fields fields =
        Fields.of(
            whole.checks(),
            path,
            value,
            List.of("clients", "layers", "service", "hop", "failures", "warmUp", "duration"));
    if (fields == null) {
      return SOME;
    }
    Clients clients = clients(fields.at("clients"), fields.required("clients", "must be there"));
    List<Layer> layers = layers(fields.at("layers"), fields.get("layers"));
    Service service = service(fields.at("service"), fields.required("service", "must be there"));
    Duration hop = fields.span("hop", Duration.ZERO);
    List<Failure> failures = whole.failures(fields);
    Duration warmUp = fields.span("warmUp", Duration.ZERO);
    Duration duration = fields.positiveSpan("duration");
    return fields.made(
        () -> new CallModel(clients, layers, service, hop, failures, warmUp, duration), SOME);
  }

  private Clients clients(String path, @Nullable JsonNode value) {
    Fields fields =
        value == null
            ? null
            : Fields.of(
                whole.checks(), path, value, List.of("count", "sharedBudget", "load", "timeout"));
    if (fields == null) {
      return SOME_CLIENTS;
    }
    int count = fields.count("count", 1, 1_000_000, 1);
    boolean shared = fields.flag("sharedBudget", false);
    JsonNode written = fields.required("load", "must be a rate such as 70/s, or an object");
    Load load = written == null ? SOME_LOAD : load(fields.at("load"), written);
    Duration timeout = fields.timeout("timeout");
    return fields.made(() -> new Clients(count, shared, load, timeout), SOME_CLIENTS);
  }

  private Load load(String path, JsonNode value) {
    if (value.isString()) {
      Double perSecond = ScenarioCodecs.RATE_OR_ZERO.reader().read(whole.checks(), path, value);
      return perSecond == null
          ? SOME_LOAD
          : new Load.Open(List.of(new Step(Duration.ZERO, perSecond)));
    }
    Fields fields =
        Fields.typed(
            whole.checks(),
            path,
            value,
            ScenarioWords.of(
                "open", List.of(Fields.TYPE, "steps"), "closed", List.of(Fields.TYPE, "think")));
    if (fields == null) {
      return SOME_LOAD;
    }
    if (fields.type().equals("closed")) {
      Duration think = fields.span("think", Duration.ZERO);
      return fields.made(() -> new Load.Closed(think), SOME_LOAD);
    }
    JsonNode written = fields.required("steps", "must be an array");
    if (written == null) {
      return SOME_LOAD;
    }
    if (!written.isArray() || written.isEmpty()) {
      whole.checks().complain(fields.at("steps"), written, "must be an array that is not empty");
      return SOME_LOAD;
    }
    List<Step> steps = steps(fields.at("steps"), written);
    return fields.made(() -> new Load.Open(steps), SOME_LOAD);
  }

  private List<Step> steps(String path, JsonNode array) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      Fields fields =
          Fields.of(whole.checks(), path + "[" + i + "]", array.get(i), List.of("from", "rate"));
      if (fields == null) {
        continue;
      }
      Duration from = i == 0 ? fields.span("from", Duration.ZERO) : fields.span("from");
      double perSecond = fields.rateOrZero("rate");
      Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
      JsonNode written = fields.get("from");
      if (written != null && last == null && i == 0 && !from.isZero()) {
        whole
            .checks()
            .complain(fields.at("from"), written, "must be 0s: the first step begins the run");
      }
      if (written != null && last != null && from.compareTo(last.from()) <= 0) {
        whole
            .checks()
            .complain(
                fields.at("from"),
                written,
                "must be after the step before it, which is " + SpanText.write(last.from()));
      }
      steps.add(new Step(from, Math.min(perSecond, 1e9)));
    }
    return steps;
  }

  private List<Layer> layers(String path, @Nullable JsonNode value) {
    List<Layer> layers = new ArrayList<>();
    if (value == null) {
      return layers;
    }
    if (!value.isArray()) {
      whole.checks().complain(path, value, "must be an array");
      return layers;
    }
    for (int i = 0; i < value.size(); i++) {
      layers.add(
          Fields.object(
              whole.checks(), path + "[" + i + "]", value.get(i), ScenarioTypes.LAYER, SOME_LAYER));
    }
    return layers;
  }

  private Service service(String path, @Nullable JsonNode value) {
    Fields fields =
        value == null
            ? null
            : Fields.of(
                whole.checks(), path, value, List.of("servers", "time", "queue", "quota", "hint"));
    if (fields == null) {
      return SOME_SERVICE;
    }
    ServiceReader reader = new ServiceReader(whole.checks());
    int servers = fields.count("servers", 0, 1_000_000, 0);
    JsonNode written = fields.required("time", "must be a time such as 10ms, or an object");
    ServiceTime time = written == null ? SOME_TIME : serviceTime(fields, written);
    Queue queue =
        Fields.object(
            whole.checks(),
            fields.at("queue"),
            fields.get("queue"),
            ScenarioTypes.QUEUE,
            Queue.UNBOUNDED);
    JsonNode limit = fields.get("quota");
    Quota quota = limit == null ? null : reader.quota(fields.at("quota"), limit);
    Hint hint = reader.hint(fields.at("hint"), fields.get("hint"));
    return fields.made(() -> new Service(servers, time, queue, quota, hint), SOME_SERVICE);
  }

  private ServiceTime serviceTime(Fields service, JsonNode value) {
    if (value.isString()) {
      return time(service.span("time"));
    }
    return Fields.object(
        whole.checks(), service.at("time"), value, ScenarioTypes.SERVICE_TIME, SOME_TIME);
  }

  private static ServiceTime time(Duration mean) {
    return new ServiceTime(mean, Duration.ZERO, ServiceTime.Shape.EXPONENTIAL);
  }
}
