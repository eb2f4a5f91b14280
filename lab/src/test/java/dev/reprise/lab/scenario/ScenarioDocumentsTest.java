package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reprise.policy.Presets;
import dev.reprise.policy.document.Violation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioDocumentsTest {
  private static final String FLEET =
      "'fleet':{'devices':10,'quota':'5/s','failures':[{'type':'outage','to':'60s'}]}";

  private static String whole(String quoted) {
    return ("{'name':'a','policies':{'p':'no-retry'}," + quoted + "}").replace('\'', '"');
  }

  private static FleetModel fleet(String fields) {
    return (FleetModel)
        ScenarioDocuments.read(whole("'fleet':{'devices':10" + fields + "}")).model();
  }

  private static List<String> violations(String json) {
    ScenarioException refused =
        catchThrowableOfType(ScenarioException.class, () -> ScenarioDocuments.read(json));
    return refused.violations().stream().map(Violation::toString).toList();
  }

  @Test
  void whatIsNotSaidHasADefault() {
    assertThat(ScenarioDocuments.read(whole("'fleet':{'devices':10,'quota':'5/s'}")))
        .isEqualTo(
            new Scenario(
                "a",
                "",
                new FleetModel(
                    10,
                    Duration.ofMillis(100),
                    new Quota(5, Duration.ofMillis(100), 0),
                    Duration.ZERO,
                    List.of(),
                    new Hint.None(),
                    Overactive.NONE,
                    Minority.NONE,
                    Costs.NONE,
                    Duration.ofHours(4)),
                Map.of("p", Presets.policy("no-retry")),
                1,
                5));
    assertThat(
            ScenarioDocuments.read(
                    whole(
                        "'calls':{'clients':{'load':'7/s'},'service':{'time':'5ms'},"
                            + "'duration':'9s'}"))
                .model())
        .isEqualTo(
            new CallModel(
                new CallModel.Clients(
                    1,
                    false,
                    new CallModel.Load.Open(List.of(new CallModel.Step(Duration.ZERO, 7))),
                    null),
                List.of(),
                new CallModel.Service(
                    0,
                    new CallModel.ServiceTime(
                        Duration.ofMillis(5),
                        Duration.ZERO,
                        CallModel.ServiceTime.Shape.EXPONENTIAL),
                    CallModel.Queue.UNBOUNDED,
                    null,
                    new Hint.None()),
                Duration.ZERO,
                List.of(),
                Duration.ZERO,
                Duration.ofSeconds(9)));
    assertThat(ScenarioDocuments.read(whole("'contention':{'clients':3}")).model())
        .isEqualTo(new ContentionModel(3, Duration.ofMillis(10), Duration.ofMillis(2)));
  }

  @ParameterizedTest
  @CsvSource({
    "5000/s, 5000",
    "30/min, 0.5",
    "3600/h, 1",
    "2.5/s, 2.5",
    "0/s, 0",
    "1E-3/s, 0.001",
  })
  void ratesAreBySecondMinuteOrHour(String text, double perSecond) {
    assertThat(RateText.read(text)).hasValue(perSecond);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "5/", "/s", "5 /s", "5/day", "-5/s", "5.s/s", "1e3/s", "1E999/s"})
  void otherTextsAreNoRates(String text) {
    assertThat(RateText.read(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5000, 5000/s", "0.5, 0.5/s", "1E9, 1000000000/s", "4.9E-324, 4.9E-324/s"})
  void ratesAreWrittenAsPeopleWriteThem(double perSecond, String text) {
    assertThat(RateText.write(perSecond)).isEqualTo(text);
    assertThat(RateText.read(text)).hasValue(perSecond);
  }

  @ParameterizedTest
  @CsvSource({
    "0.5ms, PT0.0005S",
    "1.5h, PT1H30M",
    "0.000001ms, PT0.000000001S",
    "2m, PT2M",
    "PT3S, PT3S",
  })
  void timesMayHaveFractions(String text, Duration span) {
    assertThat(SpanText.read(text)).isEqualTo(span);
    assertThat(SpanText.read(SpanText.write(span))).isEqualTo(span);
  }

  @Test
  void refusalAfterTheHandshakeCostsTheHandshake() {
    String handshake = ",'quota':{'rate':'1/s','handshake':{'work':'9ms','steady':'1ms'%s}}";

    assertThat(fleet(handshake.formatted("")).quota().rejectionCost()).isEqualTo(0.9);
    assertThat(fleet(handshake.formatted(",'admission':'after'")).quota().rejectionCost())
        .isEqualTo(0.9);
    assertThat(fleet(handshake.formatted(",'admission':'before'")).quota().rejectionCost())
        .isZero();
  }

  @Test
  void zonesCountFromOne() {
    assertThat(
            fleet(",'quota':'1/s','failures':[{'type':'outage','to':'1s','zone':'3/3'}]")
                .failures())
        .containsExactly(
            new Failure.Outage(Duration.ZERO, Duration.ofSeconds(1), new Failure.Zone(2, 3)));
  }

  @Test
  void everyMistakeIsNamedAtOnce() {
    String json =
        """
        {
          "name": "Herd!",
          "descripton": "x",
          "runs": 0,
          "policies": {"mine": {"strategy": "standard", "backoff": {"type": "fixed"}, "maxAttempts": 0},
                       "old": {"numRetries": 101}, "none": "nobody"},
          "fleet": {
            "devices": "10",
            "quota": {"rate": "5000", "burst": "-1s"},
            "failures": [{"type": "outage", "from": "2m", "to": "1m"}, {"type": "outrage"}],
            "minority": {"share": 2, "policy": {"strategy": "fast"}}
          }
        }
        """;

    assertThat(violations(json))
        .containsExactly(
            "descripton is \"x\": no such field; did you mean description?",
            "name is \"Herd!\": must be lower-case words with hyphens between them, up to 60"
                + " characters: it names files",
            "runs is 0: must be between 1 and 10000",
            "policies.mine.maxAttempts is 0: must be between 1 and 2147483646, or unlimited",
            "policies.mine.backoff.delay is missing: must be a text such as 250ms, 10s, 4m, 1h or"
                + " PT10S",
            "policies.old.numRetries is 101: must be between 0 and 100",
            "policies.none is \"nobody\": must be one of " + String.join(", ", Presets.names()),
            "fleet.devices is \"10\": must be a whole number",
            "fleet.quota.rate is \"5000\": must be a text such as 5000/s, 30/min or 2.5/h",
            "fleet.quota.burst is \"-1s\": must be a text such as 250ms, 0.5ms, 10s, 4m, 1h or"
                + " PT10S",
            "fleet.failures[0].from is \"2m\": must be before to, which is 1m",
            "fleet.failures[1].type is \"outrage\": must be one of outage, brown-out, random,"
                + " bursts, trace",
            "fleet.minority.share is 2: must be between 0 and 1",
            "fleet.minority.policy.strategy is \"fast\": must be standard, adaptive or none");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'seed':1|fleet is missing: must be there, or else calls or contention",
        "'calls':{},'fleet':{'devices':1,'quota':'1/s'}"
            + "|calls is given: must not stand beside fleet: a scenario has one model",
        "'contention':{}|contention.clients is missing: must be between 1 and 1000000",
        "'seed':1.5,'contention':{'clients':1}"
            + "|seed is 1.5: must be a whole number of at most 64 bits",
        "'description':5,'contention':{'clients':1}"
            + "|description is 5: must be a text of at most 2000 characters",
        "'contention':7|contention is 7: must be an object",
        "'contention':{'clients':1,'hopMean':'0s'}"
            + "|contention.hopMean is \"0s\": must be more than 0",
        "'contention':{'clients':1,'hopMean':'9000h'}"
            + "|contention.hopMean is \"9000h\": must be between 0 and 365 days",
        "'fleet':{'devices':1,'quota':[]}"
            + "|fleet.quota is []: must be a rate such as 5000/s, or an object",
        "'fleet':{'devices':1,'quota':'0/s'}|fleet.quota is \"0/s\": must be more than 0",
        "'fleet':{'devices':1,'quota':'2000000000/s'}"
            + "|fleet.quota is \"2000000000/s\": must be at most 1000000000/s",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','rejectionCost':0,'handshake':{'work':'1s'}}}"
            + "|fleet.quota.handshake is {\"work\":\"1s\"}: must not stand beside rejectionCost: it"
            + " follows",
        "'fleet':{'devices':1,'quota':'1/s','failures':{}}"
            + "|fleet.failures is {}: must be an array",
        "'fleet':{'devices':1,'quota':'1/s','failures':[5]}"
            + "|fleet.failures[0] is 5: must be an object with a type",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{}]}"
            + "|fleet.failures[0].type is missing: must be one of outage, brown-out, random,"
            + " bursts, trace",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'outage','to':'1s','zone':'4/3'}]}"
            + "|fleet.failures[0].zone is \"4/3\": must be a text such as 1/3, the first of three,"
            + " up to 1000",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace'}]}"
            + "|fleet.failures[0].file is missing: must be there, or else intervals",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','file':'a',"
            + "'intervals':[]}]}"
            + "|fleet.failures[0].file is \"a\": must not stand beside intervals",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','endpoint':'a',"
            + "'intervals':[]}]}"
            + "|fleet.failures[0].file is missing: must be there when an endpoint is",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','intervals':[{'to':'2s'},"
            + "{'from':'1s','to':'3s'}]}]}"
            + "|fleet.failures[0].intervals[1].from is \"1s\": must not be before the end of the"
            + " one before it, which is 2s",
        "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','file':'a.csv'}]}"
            + "|fleet.failures[0].file is \"a.csv\": there are no files beside this scenario",
        "'fleet':{'devices':1,'quota':'1/s','hint':{'type':'uniform','lowest':'2s',"
            + "'highest':'1s'}}"
            + "|fleet.hint.lowest is \"2s\": must be before highest, which is 1s",
        "'calls':{'clients':{'load':{'type':'open','steps':[{'from':'1s','rate':'1/s'}]}},"
            + "'service':{'time':'1s'},'duration':'1s'}"
            + "|calls.clients.load.steps[0].from is \"1s\": must be 0s: the first step begins the"
            + " run",
        "'calls':{'clients':{'load':{'type':'open','steps':[{'rate':'1/s'},{'from':'0s',"
            + "'rate':'1/s'}]}},'service':{'time':'1s'},'duration':'1s'}"
            + "|calls.clients.load.steps[1].from is \"0s\": must be after the step before it, which"
            + " is 0s",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s','queue':{'bound':'none'}},"
            + "'duration':'1s'}"
            + "|calls.service.queue.bound is \"none\": must be a whole number, or unlimited",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s'},'duration':'1s','warmUp':'1s'}"
            + "|calls.warmUp is \"1s\": must be before duration, which is 1s",
        "'calls':{'clients':{'load':'1/s'},'layers':[{'name':''}],'service':{'time':'1s'},"
            + "'duration':'1s'}"
            + "|calls.layers[0].name is \"\": must be a text of 1 to 60 characters",
        "'contention':{'clients':1},'sweep':{'field':'runs','values':[1]}"
            + "|sweep.field is \"runs\": must be the path of a field of the policies or the model,"
            + " such as fleet.quota.rate",
        "'contention':{'clients':1},'sweep':{'field':'policies.p.maxAttempts','values':[1]}|sweep.field"
            + " is \"policies.p.maxAttempts\": must be in the document, and p is written as one"
            + " value",
        "'contention':{'clients':1},'sweep':{'field':'contention.clients','values':[]}"
            + "|sweep.values is []: must be an array of 1 to 1000 values",
      })
  void mistakeIsNamedByPathValueAndRule(String quoted, String violation) {
    assertThat(violations(whole(quoted))).containsExactly(violation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"name\":\"a\",\"name\":\"b\"}|scenario is not readable: line 1, column 19: the field"
            + " \"name\" is given twice",
        "{\"name\":|scenario is not readable: line 1",
        "{} {}|scenario is not readable: line 1",
        "``|scenario is missing: must be JSON",
        "[]|scenario is []: must be an object",
        "herd|scenario is not readable: line 1",
      })
  void textsThatAreNoDocumentAreRefused(String text, String message) {
    assertThat(violations(text)).singleElement().asString().startsWith(message);
  }

  @Test
  void sweepGivesAScenarioForEachValue() {
    List<Variant> variants =
        ScenarioDocuments.variants(
            whole(FLEET + ",'sweep':{'field':'fleet.failures[0].to','values':['1s','2m']}"),
            Traces.NONE);

    assertThat(variants)
        .extracting(
            Variant::field,
            Variant::value,
            variant -> ((FleetModel) variant.scenario().model()).recovery())
        .containsExactly(
            tuple("fleet.failures[0].to", "1s", Duration.ofSeconds(1)),
            tuple("fleet.failures[0].to", "2m", Duration.ofMinutes(2)));
  }

  @Test
  void sweepMaySetWhatTheDocumentLeavesOut() {
    List<Variant> variants =
        ScenarioDocuments.variants(
            whole(FLEET + ",'sweep':{'field':'fleet.spread','values':['1s','2m']}"), Traces.NONE);

    assertThat(variants)
        .extracting(variant -> ((FleetModel) variant.scenario().model()).spread())
        .containsExactly(Duration.ofSeconds(1), Duration.ofMinutes(2));
  }

  @Test
  void sweepMayGoOverPolicies() {
    List<Variant> variants =
        ScenarioDocuments.variants(
            whole(FLEET + ",'sweep':{'field':'policies.p','values':['azure-iot','no-retry']}"),
            Traces.NONE);

    assertThat(variants)
        .extracting(variant -> variant.scenario().policies().get("p"))
        .containsExactly(Presets.policy("azure-iot"), Presets.policy("no-retry"));
  }

  @Test
  void valueOfASweepThatBreaksARuleIsNamedByItsField() {
    String json = whole(FLEET + ",'sweep':{'field':'fleet.quota','values':['1/s','1']}");

    assertThatThrownBy(() -> ScenarioDocuments.variants(json, Traces.NONE))
        .isInstanceOf(ScenarioException.class)
        .hasMessage("fleet.quota is \"1\": must be a text such as 5000/s, 30/min or 2.5/h");
  }

  @Test
  void scenarioWithoutASweepHasNoVariants() {
    assertThat(ScenarioDocuments.variants(whole(FLEET), Traces.NONE)).isEmpty();
  }

  @Test
  void tracesAreAskedForByFileAndEndpoint() {
    Failure.Trace recorded =
        new Failure.Trace(List.of(new Failure.Interval(Duration.ZERO, Duration.ofSeconds(9), 0.5)));
    String json =
        whole(
            "'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','file':'a.csv',"
                + "'endpoint':'hub'}]}");

    Scenario scenario =
        ScenarioDocuments.read(
            json,
            (file, endpoint) -> {
              assertThat(file).isEqualTo("a.csv");
              assertThat(endpoint).isEqualTo("hub");
              return recorded;
            });

    assertThat(((FleetModel) scenario.model()).failures()).containsExactly(recorded);
  }

  @Test
  void fileThatCannotBeReadIsAMistakeOfTheScenario() {
    String json =
        whole("'fleet':{'devices':1,'quota':'1/s','failures':[{'type':'trace','file':'a.csv'}]}");

    assertThatThrownBy(
            () ->
                ScenarioDocuments.read(
                    json,
                    (file, endpoint) -> {
                      throw new UncheckedIOException(new IOException("no such file"));
                    }))
        .isInstanceOf(ScenarioException.class)
        .hasMessage("fleet.failures[0].file is \"a.csv\": cannot be read: no such file");
  }

  @Test
  void scenarioThatNoDocumentCanHoldIsNotWritten() {
    Scenario scenario =
        new Scenario(
            "Two words",
            "",
            new ContentionModel(1, Duration.ofMillis(1), Duration.ZERO),
            Map.of("a.b", Presets.policy("no-retry")),
            1,
            1);

    assertThatThrownBy(() -> ScenarioDocuments.write(scenario))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContainingAll("name is \"Two words\"", "policies");
  }
}
