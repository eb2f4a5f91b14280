package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes scenarios, every field written out. */
final class ScenarioWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private ScenarioWriter() {}

  static ObjectNode write(Scenario scenario) {
    ObjectNode node = JSON.objectNode();
    node.put("name", scenario.name());
    node.put("description", scenario.description());
    node.put("seed", scenario.seed());
    node.put("runs", scenario.runs());
    ObjectNode policies = node.putObject("policies");
    scenario
        .policies()
        .forEach((name, policy) -> policies.set(name, ScenarioDocuments.writePolicy(policy)));
    Model model = scenario.model();
    if (model instanceof FleetModel fleet) {
      node.set("fleet", fleet(fleet));
    } else if (model instanceof CallModel calls) {
      node.set("calls", calls(calls));
    } else if (model instanceof ContentionModel contention) {
      node.putObject("contention")
          .put("clients", contention.clients())
          .put("hopMean", SpanText.write(contention.hopMean()))
          .put("hopDeviation", SpanText.write(contention.hopDeviation()));
    }
    return node;
  }

  private static ObjectNode fleet(FleetModel fleet) {
    ObjectNode node = JSON.objectNode();
    node.put("devices", fleet.devices());
    node.put("spread", SpanText.write(fleet.spread()));
    node.set("quota", quota(fleet.quota()));
    node.put("perDeviceInterval", SpanText.write(fleet.perDeviceInterval()));
    node.set("failures", failures(fleet.failures()));
    node.set("hint", hint(fleet.hint()));
    node.putObject("overactive")
        .put("share", fleet.overactive().share())
        .put("interval", SpanText.write(fleet.overactive().interval()));
    Policy minority = fleet.minority().policy();
    if (minority != null) {
      node.putObject("minority")
          .put("share", fleet.minority().share())
          .set("policy", ScenarioDocuments.writePolicy(minority));
    }
    node.putObject("costs")
        .put("bytesPerAttempt", fleet.costs().bytesPerAttempt())
        .put("workPerSuccess", SpanText.write(fleet.costs().workPerSuccess()))
        .put("pricePerMillion", fleet.costs().pricePerMillion());
    return node.put("horizon", SpanText.write(fleet.horizon()));
  }

  private static ObjectNode quota(Quota quota) {
    return JSON.objectNode()
        .put("rate", RateText.write(quota.perSecond()))
        .put("burst", SpanText.write(quota.burst()))
        .put("rejectionCost", quota.rejectionCost());
  }

  private static ObjectNode hint(Hint hint) {
    if (hint instanceof Hint.Fixed fixed) {
      return typed("fixed").put("delay", SpanText.write(fixed.delay()));
    }
    if (hint instanceof Hint.Uniform uniform) {
      return typed("uniform")
          .put("lowest", SpanText.write(uniform.lowest()))
          .put("highest", SpanText.write(uniform.highest()));
    }
    return typed(hint instanceof Hint.Slots ? "slots" : "none");
  }

  private static ArrayNode failures(List<Failure> failures) {
    ArrayNode array = JSON.arrayNode();
    failures.forEach(failure -> array.add(failure(failure)));
    return array;
  }

  private static ObjectNode failure(Failure failure) {
    if (failure instanceof Failure.Outage outage) {
      ObjectNode node = typed("outage");
      node.put("from", SpanText.write(outage.from())).put("to", SpanText.write(outage.to()));
      return node.put("zone", (outage.zone().index() + 1) + "/" + outage.zone().zones());
    }
    if (failure instanceof Failure.BrownOut brownOut) {
      return typed("brown-out")
          .put("from", SpanText.write(brownOut.from()))
          .put("to", SpanText.write(brownOut.to()))
          .put("capacity", brownOut.capacity());
    }
    if (failure instanceof Failure.Random random) {
      return typed("random").put("probability", random.probability());
    }
    if (failure instanceof Failure.Bursts bursts) {
      return typed("bursts")
          .put("good", SpanText.write(bursts.good()))
          .put("bad", SpanText.write(bursts.bad()))
          .put("probability", bursts.probability());
    }
    ObjectNode trace = typed("trace");
    ArrayNode intervals = trace.putArray("intervals");
    for (Failure.Interval interval : ((Failure.Trace) failure).intervals()) {
      intervals
          .addObject()
          .put("from", SpanText.write(interval.from()))
          .put("to", SpanText.write(interval.to()))
          .put("probability", interval.probability());
    }
    return trace;
  }

  private static ObjectNode calls(CallModel calls) {
    ObjectNode node = JSON.objectNode();
    ObjectNode clients = node.putObject("clients");
    clients.put("count", calls.clients().count());
    clients.put("sharedBudget", calls.clients().sharedBudget());
    clients.set("load", load(calls.clients().load()));
    putTimeout(clients, calls.clients().timeout());
    ArrayNode layers = node.putArray("layers");
    for (CallModel.Layer layer : calls.layers()) {
      ObjectNode each = layers.addObject().put("name", layer.name());
      if (layer.policy() != null) {
        each.set("policy", ScenarioDocuments.writePolicy(layer.policy()));
      }
      putTimeout(each, layer.timeout());
    }
    node.set("service", service(calls.service()));
    node.put("hop", SpanText.write(calls.hop()));
    node.set("failures", failures(calls.failures()));
    node.put("warmUp", SpanText.write(calls.warmUp()));
    return node.put("duration", SpanText.write(calls.duration()));
  }

  private static ObjectNode load(CallModel.Load load) {
    if (load instanceof CallModel.Load.Closed closed) {
      return typed("closed").put("think", SpanText.write(closed.think()));
    }
    ObjectNode open = typed("open");
    ArrayNode steps = open.putArray("steps");
    for (CallModel.Step step : ((CallModel.Load.Open) load).steps()) {
      steps
          .addObject()
          .put("from", SpanText.write(step.from()))
          .put("rate", RateText.write(step.perSecond()));
    }
    return open;
  }

  private static ObjectNode service(CallModel.Service service) {
    ObjectNode node = JSON.objectNode().put("servers", service.servers());
    node.putObject("time")
        .put("mean", SpanText.write(service.time().mean()))
        .put("perRequest", SpanText.write(service.time().perRequest()))
        .put("shape", word(CallReader.SHAPES, service.time().shape()));
    ObjectNode queue = node.putObject("queue");
    queue.put("order", word(CallReader.ORDERS, service.queue().order()));
    if (service.queue().bound() == Integer.MAX_VALUE) {
      queue.put("bound", CallReader.UNLIMITED);
    } else {
      queue.put("bound", service.queue().bound());
    }
    queue.put("dropsExpired", service.queue().dropsExpired());
    if (service.quota() != null) {
      node.set("quota", quota(service.quota()));
    }
    node.set("hint", hint(service.hint()));
    return node;
  }

  private static void putTimeout(ObjectNode node, @Nullable Duration timeout) {
    if (timeout != null) {
      node.put("timeout", SpanText.write(timeout));
    }
  }

  private static <T> String word(Map<String, T> words, T value) {
    return words.entrySet().stream()
        .filter(word -> word.getValue().equals(value))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  private static ObjectNode typed(String type) {
    return JSON.objectNode().put(Fields.TYPE, type);
  }
}
