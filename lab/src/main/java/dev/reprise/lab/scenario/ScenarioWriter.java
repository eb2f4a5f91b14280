package dev.reprise.lab.scenario;

import dev.reprise.policy.document.ObjectType;
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
      node.set("contention", ScenarioTypes.CONTENTION.write(contention));
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
    node.set("overactive", ScenarioTypes.OVERACTIVE.write(fleet.overactive()));
    if (fleet.minority().policy() != null) {
      node.set("minority", ScenarioTypes.MINORITY.write(fleet.minority()));
    }
    node.set("costs", ScenarioTypes.COSTS.write(fleet.costs()));
    return node.put("horizon", SpanText.write(fleet.horizon()));
  }

  private static ObjectNode quota(Quota quota) {
    return JSON.objectNode()
        .put("rate", RateText.write(quota.perSecond()))
        .put("burst", SpanText.write(quota.burst()))
        .put("rejectionCost", quota.rejectionCost());
  }

  private static ObjectNode hint(Hint hint) {
    return typed(ScenarioTypes.HINTS, hint);
  }

  private static ArrayNode failures(List<Failure> failures) {
    ArrayNode array = JSON.arrayNode();
    failures.forEach(failure -> array.add(failure(failure)));
    return array;
  }

  private static ObjectNode failure(Failure failure) {
    if (!(failure instanceof Failure.Trace recorded)) {
      return typed(ScenarioTypes.FAILURES, failure);
    }
    ObjectNode trace = typed(FailureReader.TRACE);
    ArrayNode intervals = trace.putArray("intervals");
    recorded.intervals().forEach(each -> intervals.add(ScenarioTypes.INTERVAL.write(each)));
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
    calls.layers().forEach(layer -> layers.add(ScenarioTypes.LAYER.write(layer)));
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
    node.set("time", ScenarioTypes.SERVICE_TIME.write(service.time()));
    node.set("queue", ScenarioTypes.QUEUE.write(service.queue()));
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

  private static <T> ObjectNode typed(Map<String, ObjectType<? extends T>> types, T value) {
    return types.entrySet().stream()
        .filter(type -> type.getValue().describes(value))
        .map(type -> type.getValue().writeTo(value, typed(type.getKey())))
        .findFirst()
        .orElseThrow();
  }

  private static ObjectNode typed(String type) {
    return JSON.objectNode().put(Fields.TYPE, type);
  }
}
