package dev.reprise.lab.report;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Quota;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists the facts of a model that matter, as pairs of a name and a value. */
final class ModelFacts {
  private final Map<String, String> facts = new LinkedHashMap<>();

  private ModelFacts() {}

  static Map<String, String> of(Model model) {
    ModelFacts facts = new ModelFacts();
    if (model instanceof FleetModel fleet) {
      facts.ofFleet(fleet);
    } else if (model instanceof CallModel calls) {
      facts.ofCalls(calls);
    } else {
      facts.ofContention((ContentionModel) model);
    }
    return facts.facts;
  }

  private void ofFleet(FleetModel fleet) {
    put("devices", Numbers.shown(fleet.devices()));
    quota(fleet.quota());
    failures(fleet.failures());
    put("first attempts within", AmountText.plain(fleet.spread()));
    if (!fleet.perDeviceInterval().isZero()) {
      put("a device at most every", AmountText.plain(fleet.perDeviceInterval()));
    }
    hint(fleet.hint());
    if (fleet.overactive().share() > 0) {
      put(
          "overactive",
          Numbers.percent(fleet.overactive().share())
              + ", every "
              + AmountText.plain(fleet.overactive().interval()));
    }
    if (fleet.minority().share() > 0) {
      put("with another policy", Numbers.percent(fleet.minority().share()));
    }
    put("ends after", AmountText.plain(fleet.horizon()));
  }

  private void ofCalls(CallModel calls) {
    CallModel.Clients clients = calls.clients();
    put("clients", Numbers.shown(clients.count()) + (clients.sharedBudget() ? ", one budget" : ""));
    if (clients.load() instanceof CallModel.Load.Open open) {
      put("calls", rates(open.steps()));
    } else if (clients.load() instanceof CallModel.Load.Closed closed) {
      put("calls", "one after the other, " + AmountText.plain(closed.think()) + " between");
    }
    if (clients.timeout() != null) {
      put("timeout", AmountText.plain(clients.timeout()));
    }
    if (!calls.layers().isEmpty()) {
      put(
          "through",
          String.join(", ", calls.layers().stream().map(CallModel.Layer::name).toList()));
    }
    CallModel.Service service = calls.service();
    put("servers", service.servers() == 0 ? "without limit" : Numbers.shown(service.servers()));
    put("service time", AmountText.plain(service.time().mean()) + growth(service.time()));
    if (service.queue().bound() < Integer.MAX_VALUE) {
      put("queue", "at most " + Numbers.shown(service.queue().bound()));
    }
    if (service.quota() != null) {
      quota(service.quota());
    }
    hint(service.hint());
    failures(calls.failures());
    put("measured from", AmountText.plain(calls.warmUp()));
    put("calls begin until", AmountText.plain(calls.duration()));
  }

  private void ofContention(ContentionModel contention) {
    put("clients", Numbers.shown(contention.clients()));
    put("way to the server", AmountText.plain(contention.hopMean()));
  }

  private static String rates(List<CallModel.Step> steps) {
    double lowest = steps.stream().mapToDouble(CallModel.Step::perSecond).min().orElseThrow();
    double highest = steps.stream().mapToDouble(CallModel.Step::perSecond).max().orElseThrow();
    return lowest == highest
        ? Numbers.shown(lowest, "/s")
        : Numbers.shown(lowest) + " to " + Numbers.shown(highest, "/s");
  }

  private static String growth(CallModel.ServiceTime time) {
    return time.perRequest().isZero()
        ? ""
        : " + " + AmountText.plain(time.perRequest()) + " a request";
  }

  private void quota(Quota quota) {
    put("capacity", Numbers.shown(quota.perSecond(), "/s"));
    if (quota.rejectionCost() > 0) {
      put("a refusal costs", Numbers.percent(quota.rejectionCost()) + " of an acceptance");
    }
  }

  private void hint(Hint hint) {
    if (hint instanceof Hint.Fixed fixed) {
      put("Retry-After", AmountText.plain(fixed.delay()));
    } else if (hint instanceof Hint.Uniform uniform) {
      put("Retry-After", span(uniform.lowest(), uniform.highest()) + ", evenly");
    } else if (hint instanceof Hint.Slots) {
      put("Retry-After", "the next free slot");
    }
  }

  private void failures(List<Failure> failures) {
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage) {
        add("outage", span(outage.from(), outage.to()) + zone(outage.zone()));
      } else if (failure instanceof Failure.BrownOut brownOut) {
        add(
            "brown-out",
            Numbers.percent(brownOut.capacity())
                + " of the capacity, "
                + span(brownOut.from(), brownOut.to()));
      } else if (failure instanceof Failure.Random random) {
        add("failures", Numbers.percent(random.probability()) + " of the attempts");
      } else if (failure instanceof Failure.Bursts bursts) {
        add(
            "bursts of failures",
            AmountText.plain(bursts.bad()) + " after " + AmountText.plain(bursts.good()));
      } else if (failure instanceof Failure.Trace trace) {
        add("recorded failures", trace.intervals().size() + " intervals");
      }
    }
  }

  private static String zone(Failure.Zone zone) {
    return zone.zones() == 1 ? "" : ", zone " + (zone.index() + 1) + " of " + zone.zones();
  }

  private static String span(Duration from, Duration to) {
    return AmountText.plain(from) + " to " + AmountText.plain(to);
  }

  private void put(String name, String value) {
    facts.put(name, value);
  }

  private void add(String name, String value) {
    facts.merge(name, value, (before, more) -> before + "; " + more);
  }
}
