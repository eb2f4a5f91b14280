package dev.reprise.server.api;

import static dev.reprise.server.api.OtlpReceiver.attribute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The trace of a message, from its publisher to its endpoint, and to a collector. */
@Tag("slow")
class TracesTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final String POLICY =
      "{\"healthyRetryPolicy\":{\"numRetries\":2,\"minDelayTarget\":0,\"maxDelayTarget\":0}}";

  @TempDir Path folder;
  private final Map<String, String> set = new TreeMap<>();

  @AfterEach
  void clear() {
    set.keySet().forEach(System::clearProperty);
  }

  private void set(String name, String value) {
    set.put(name, value);
    System.setProperty(name, value);
  }

  private static Reply publish(RunningService api, String... headers) {
    Reply reply =
        api.send("POST", "/v1/topics/t/messages", "{\"body\": 1}", "application/json", headers);
    assertThat(reply.status()).as(reply.text()).isEqualTo(202);
    return reply;
  }

  private static String subscribe(RunningService api, ScriptedEndpoint endpoint, String more) {
    String id = api.subscribe("t", "{\"endpoint\": \"" + endpoint.url() + "\"" + more + "}");
    api.put("/v1/topics/t", POLICY);
    return id;
  }

  private static void awaitDelivered(RunningService api, String id, int count) {
    api.await("/v1/subscriptions/" + id, each -> each.at("/ledger/delivered").asInt() == count);
  }

  @Test
  void theTraceOfThePublisherIsSentOnWithEachAttempt() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, null).always(204)) {
      String id = subscribe(api, endpoint, "");
      publish(api, "traceparent", "00-" + TRACE + "-" + CALLER + "-01", "tracestate", "a=1");
      awaitDelivered(api, id, 1);

      List<String> sent = endpoint.posts().stream().map(p -> p.header("traceparent")).toList();
      assertThat(sent).hasSize(2).doesNotHaveDuplicates();
      assertThat(sent)
          .allMatch(header -> header.matches("00-" + TRACE + "-[0-9a-f]{16}-01"))
          .noneMatch(header -> header.contains(CALLER));
      assertThat(endpoint.posts()).allMatch(post -> post.header("tracestate").equals("a=1"));
    }
  }

  @Test
  void whatIsNoTraceIsNoErrorAndNotSent() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe(api, endpoint, "");
      publish(api, "traceparent", "00-" + TRACE + "-" + "0".repeat(16) + "-01");
      publish(api);
      publish(
          api,
          "traceparent",
          "00-" + TRACE + "-" + CALLER + "-01",
          "traceparent",
          "00-" + TRACE + "-" + CALLER + "-00");
      awaitDelivered(api, id, 3);

      assertThat(endpoint.posts()).hasSize(3).allMatch(post -> post.header("traceparent") == null);
    }
  }

  @Test
  void aSubscriptionMayHaveATraceOfItsOwn() {
    String own = "00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-00";
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id =
          subscribe(api, endpoint, ", \"http\": {\"headers\": {\"Traceparent\": \"" + own + "\"}}");
      publish(api, "traceparent", "00-" + TRACE + "-" + CALLER + "-01");
      awaitDelivered(api, id, 1);

      assertThat(endpoint.posts().get(0).headers().get("traceparent")).containsExactly(own);
    }
  }

  @Test
  void aRepeatedPublishMayBeInAnotherSpan() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      subscribe(api, endpoint, "");
      Reply first =
          publish(api, "Idempotency-Key", "k", "traceparent", "00-" + TRACE + "-" + CALLER + "-01");
      Reply again =
          publish(
              api,
              "Idempotency-Key",
              "k",
              "traceparent",
              "00-" + TRACE + "-" + "3".repeat(16) + "-01");

      assertThat(again.json().get("messageId")).isEqualTo(first.json().get("messageId"));
    }
  }

  @Test
  void aCloudEventHasTheTraceOfItsPublisher() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe(api, endpoint, ", \"format\": \"cloudevents\"");
      publish(api, "traceparent", "00-" + TRACE + "-" + CALLER + "-01");
      awaitDelivered(api, id, 1);

      assertThat(endpoint.posts().get(0).header("ce-traceparent"))
          .isEqualTo("00-" + TRACE + "-" + CALLER + "-01");
    }
  }

  @Test
  void publishAndAttemptsAreExportedWhereThatIsConfigured() throws Exception {
    try (OtlpReceiver collector = new OtlpReceiver();
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, null).always(204)) {
      set("otel.exporter.otlp.endpoint", collector.url());
      set("otel.bsp.schedule.delay", "20");
      try (RunningService api = RunningService.dev(folder)) {
        String id = subscribe(api, endpoint, "");
        Reply published =
            publish(api, "traceparent", "00-" + TRACE + "-" + CALLER + "-01", "tracestate", "a=1");
        awaitDelivered(api, id, 1);
        List<Span> spans = Await.value("three spans", collector::spans, all -> all.size() == 3);

        Span publish =
            spans.stream().filter(s -> s.getName().equals("publish t")).findFirst().get();
        List<Span> attempts = spans.stream().filter(s -> s.getName().equals("deliver t")).toList();
        assertThat(publish.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_PRODUCER);
        assertThat(hex(publish.getTraceId().toByteArray())).isEqualTo(TRACE);
        assertThat(hex(publish.getParentSpanId().toByteArray())).isEqualTo(CALLER);
        assertThat(attribute(publish, "messaging.message.id"))
            .isEqualTo(published.json().get("messageId").asString());
        assertThat(attempts)
            .hasSize(2)
            .allMatch(span -> span.getKind() == Span.SpanKind.SPAN_KIND_CLIENT)
            .allMatch(span -> span.getParentSpanId().equals(publish.getSpanId()))
            .allMatch(span -> span.getTraceState().equals("a=1"))
            .allMatch(span -> attribute(span, "messaging.destination.subscription.name").equals(id))
            .allMatch(span -> attribute(span, "messaging.operation.type").isEmpty())
            .allMatch(span -> attribute(span, "server.address").equals("127.0.0.1"));
        Map<String, Span> byAttempt = new TreeMap<>();
        attempts.forEach(span -> byAttempt.put(attribute(span, "reprise.attempt"), span));
        Span failed = byAttempt.get("1");
        assertThat(attribute(failed, "http.request.resend_count")).isEmpty();
        assertThat(attribute(byAttempt.get("2"), "http.request.resend_count")).isEqualTo("1");
        assertThat(failed.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(attribute(failed, "error.type")).isEqualTo("503");
        assertThat(attribute(byAttempt.get("2"), "http.response.status_code")).isEqualTo("204");
        assertThat(endpoint.posts())
            .extracting(post -> post.header("traceparent"))
            .containsExactly(
                "00-" + TRACE + "-" + hex(failed.getSpanId().toByteArray()) + "-01",
                "00-" + TRACE + "-" + hex(byAttempt.get("2").getSpanId().toByteArray()) + "-01");
      }
    }
  }

  @Test
  void theAddressOfAServerIsThatOfItsHostHeader() throws Exception {
    try (OtlpReceiver collector = new OtlpReceiver()) {
      set("otel.exporter.otlp.endpoint", collector.url());
      try (RunningService api = RunningService.dev(folder)) {
        // An address is without its brackets, and a name may have an underscore.
        api.subscribe("t", "{\"endpoint\": \"http://[::1]:1/\"}");
        api.subscribe("t", "{\"endpoint\": \"https://a_b.localhost/\"}");
        assertThat(api.put("/v1/topics/t", POLICY.replace("2", "0")).status()).isEqualTo(200);
        publish(api);
        api.await("/v1/ledger", each -> each.at("/total/pending").asInt() == 0);
      }
      assertThat(collector.spans())
          .filteredOn(span -> span.getName().equals("deliver t"))
          .map(span -> attribute(span, "server.address") + " " + attribute(span, "server.port"))
          .contains("::1 1", "a_b.localhost 443")
          .doesNotContain(" ");
    }
  }

  @Test
  void aServiceThatExportsBeginsATraceAndHeedsWhatIsNotSampled() throws Exception {
    try (OtlpReceiver collector = new OtlpReceiver();
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      set("otel.exporter.otlp.endpoint", collector.url());
      try (RunningService api = RunningService.dev(folder)) {
        String id = subscribe(api, endpoint, "");
        publish(api, "traceparent", "00-" + TRACE + "-" + CALLER + "-00");
        awaitDelivered(api, id, 1);
        publish(api);
        awaitDelivered(api, id, 2);
      }
      // What is left is exported when the service stops.
      assertThat(collector.spans()).hasSize(2);
      assertThat(collector.spans())
          .noneMatch(span -> hex(span.getTraceId().toByteArray()).equals(TRACE));
      assertThat(endpoint.posts().get(0).header("traceparent"))
          .matches("00-" + TRACE + "-[0-9a-f]{16}-00");
      assertThat(endpoint.posts().get(1).header("traceparent")).matches("00-.*-0[13]");
      assertThat(collector.text()).contains("service.name", "reprise").doesNotContain("/hook");
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
