package dev.reprise.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is applied is exported, and what is exported is applied, to a real service. */
class ApplyExportTest {
  /** Every kind, and every setting of a subscription. */
  private static final String EVERYTHING =
      """
      carriers:
        relay:
          type: smtp
          maxInFlight: 7
          maxPerSecond: 3
          settings:
            addresses: [127.0.0.1:2525]
            security: none
            from: Orders <orders@example.com>
            username: me
            password: {variable: RELAY_PASSWORD}
        broker:
          type: amqp
          settings: {addresses: ["127.0.0.1:5672"], tls: false}
      projects:
        default: {quotas: {topics: 100}}
        shop: {carriers: [relay], quotas: {publishesPerSecond: 50}}
        empty:
      policies:
        patient: {healthyRetryPolicy: {numRetries: 40, minDelayTarget: 5, maxDelayTarget: 60}}
        throttled: {throttlePolicy: {maxReceivesPerSecond: 10}}
      topics:
        plain:
        "no": {policy: no-retry, subscriptions: []}
        invoices:
          policy: patient
          subscriptions:
            - &all
              endpoint: http://127.0.0.1:9/a/hook?x=1
              format: raw
              policy: throttled
              filter: {type: [order.created, {prefix: invoice.}], amount: [{numeric: [">=", 100]}]}
              lifetime: 1h
              maxInFlight: 100
              http:
                headers: {X-Tenant: blue, X-Empty: ""}
                tokenUrl: http://127.0.0.1:9/token
                clientId: me
                clientSecret: {file: client.secret}
                scope: a b
                tokenParameters: {audience: https://api.example}
                tokenAuthentication: client_secret_post
                signingSecret: {variable: SIGNING}
                handshake: false
              deadLetterTarget: {topic: letters, endpoint: http://127.0.0.1:9/a/letters}
              startSuspended: true
              suspendWhenGone: true
              name: Acme, orders
              labels: {team: billing, set: "true"}
              customer: c-42
            - endpoint: http://127.0.0.1:9/a/hook?x=1
              filter: {type: [other]}
              startSuspended: true
              deadLetters: discard
            - endpoint: http://127.0.0.1:9/b/hook
              startSuspended: true
              http: {username: u, password: {variable: SIGNING}}
            - {protocol: email, endpoint: someone@example.com, carrier: relay, startSuspended: true}
            - {protocol: function, endpoint: http://127.0.0.1:9/c/f, startSuspended: true}
        letters:
          policy: {disableSubscriptionOverrides: true, healthyRetryPolicy: notification-sms}
          subscriptions: [{endpoint: http://127.0.0.1:9/a/letters, startSuspended: true}]
        reprise:operator:
          subscriptions: [{endpoint: http://127.0.0.1:9/a/events, startSuspended: true}]
      ---
      project: shop
      topics:
        invoices:
          subscriptions:
            - {protocol: email, endpoint: shop@example.com, carrier: relay, startSuspended: true}
      """;

  @TempDir private Path folder;

  private Service service;

  @BeforeEach
  void start() throws IOException {
    service = DevService.start(folder.resolve("data"));
    Files.writeString(folder.resolve("client.secret"), "very secret\n");
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private CommandRun.Result run(String... args) {
    return run(service, args);
  }

  private static CommandRun.Result run(Service service, String... args) {
    return new CommandRun()
        .with("REPRISE_URL", service.baseUrl())
        .with("RELAY_PASSWORD", "pw")
        .with("SIGNING", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
        .execute(args);
  }

  private String file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  private String applied(String text) throws IOException {
    CommandRun.Result result = run("apply", "--unchecked", file("given.yaml", text));
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.out();
  }

  @Test
  void aSecondApplyChangesNothing() throws IOException {
    String given = file("given.yaml", EVERYTHING);

    CommandRun.Result dry = run("apply", "--unchecked", "--dry-run", given);
    assertThat(dry.exitCode()).as(dry.err()).isEqualTo(7);
    assertThat(dry.out()).contains("+ topic invoices").contains("18 changes would be made");
    assertThat(run("topic", "list").out()).doesNotContain("invoices");

    CommandRun.Result first = run("apply", "--unchecked", given);
    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.out()).contains("18 changes, 1 unchanged");

    CommandRun.Result second = run("apply", "--unchecked", given);
    assertThat(second.exitCode()).as(second.err()).isZero();
    assertThat(second.out()).isEqualTo("0 changes, 19 unchanged\n");
    assertThat(run("apply", "--dry-run", given).exitCode()).isZero();
    assertThat(run("apply", "--dry-run", "--prune", given).out())
        .isEqualTo("nothing would change, 19 unchanged\n");
  }

  @Test
  void anExportMakesTheSameElsewhere() throws IOException {
    applied(EVERYTHING);
    CommandRun.Result export = run("export");
    assertThat(export.exitCode()).as(export.err()).isZero();
    String given = file("exported.yaml", export.out());

    CommandRun.Result again = run("apply", "--dry-run", "--prune", given);
    assertThat(again.exitCode()).as(again.err() + again.out()).isZero();

    Path data = folder.resolve("other");
    try (Service fresh = DevService.start(data)) {
      CommandRun made = new CommandRun().with("REPRISE_URL", fresh.baseUrl());
      for (String name : export.out().lines().filter(l -> l.contains("{variable: ")).toList()) {
        String variable = name.replaceAll(".*\\{variable: ([A-Z0-9_]+)}.*", "$1");
        made.with(
            variable,
            variable.endsWith("SIGNING_SECRET")
                ? "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
                : "pw");
      }
      CommandRun.Result first = made.execute("apply", "--unchecked", given);
      assertThat(first.exitCode()).as(first.err()).isZero();
      assertThat(withoutIds(run(fresh, "export").out())).isEqualTo(withoutIds(export.out()));
      CommandRun.Result second = made.execute("apply", "--dry-run", "--prune", given);
      assertThat(second.exitCode()).as(second.err() + second.out()).isZero();

      String json = file("exported.json", run("export", "--json").out());
      assertThat(run("apply", "--dry-run", "--prune", json).exitCode()).isZero();
    }
  }

  private static String withoutIds(String export) {
    return export.replaceAll("id: [a-z]+-[0-9]+\n", "id: ...\n");
  }

  @Test
  void onlyWhatDiffersIsChanged() throws IOException {
    applied(EVERYTHING);

    CommandRun.Result result =
        run(
            "apply",
            "--unchecked",
            file(
                "changed.yaml",
                EVERYTHING
                    .replace("lifetime: 1h", "lifetime: 60m")
                    .replace("maxPerSecond: 3", "maxPerSecond: 4")
                    .replace("handshake: false", "handshake: true")
                    .replace("publishesPerSecond: 50", "publishesPerSecond: 60")
                    .replace("numRetries: 40", "numRetries: 41")
                    .replace("maxInFlight: 100", "maxInFlight: 99")));

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("~ carrier relay: maxPerSecond 3 -> 4\n")
        .contains("~ project shop: quotas.publishesPerSecond 50 -> 60\n")
        .contains("~ topic invoices: policy.healthyRetryPolicy.numRetries 40 -> 41\n")
        .containsPattern(
            "~ subscription invoices-\\d+ \\(http://127.0.0.1:9/a/hook\\?x=1\\): maxInFlight 100 ->"
                + " 99, http.handshake false -> true\n")
        .endsWith("4 changes, 15 unchanged\n");
  }

  @Test
  void nothingIsDeletedUnlessItIsPruned() throws IOException {
    applied(EVERYTHING);
    String left =
        file(
            "left.yaml",
            "carriers: {relay: {type: smtp, maxInFlight: 7, maxPerSecond: 3, settings: {addresses:"
                + " [127.0.0.1:2525], security: none, from: Orders <orders@example.com>, username:"
                + " me, password: {variable: NONE}}}}\n"
                + "topics:\n  plain:\n  letters: {policy: {disableSubscriptionOverrides: true,"
                + " healthyRetryPolicy: notification-sms}, subscriptions: []}\n");

    CommandRun.Result kept = run("apply", left);
    assertThat(kept.exitCode()).as(kept.err()).isZero();
    assertThat(kept.out()).isEqualTo("0 changes, 3 unchanged\n");
    assertThat(kept.err())
        .contains("not in the files; --prune deletes it: topic invoices")
        .contains("not in the files; --prune deletes it: carrier broker")
        .doesNotContain("reprise:operator")
        .doesNotContain("project");

    CommandRun.Result pruned = run("apply", "--prune", left);
    assertThat(pruned.exitCode()).as(pruned.err()).isZero();
    assertThat(pruned.out()).contains("- topic invoices\n").contains("- carrier broker\n");
    assertThat(run("topic", "list").out()).doesNotContain("invoices").contains("plain");
    assertThat(run("apply", "--prune", "--dry-run", left).exitCode()).isZero();
  }

  @Test
  void whatIsLostWithASubscriptionIsShown() throws IOException {
    applied(
        "topics: {a: {subscriptions: [{endpoint: http://127.0.0.1:9/a, startSuspended: true}]}}");
    run("publish", "a", "one");

    CommandRun.Result dry =
        run("apply", "--prune", "--dry-run", file("none.yaml", "topics: {a: {subscriptions: []}}"));

    assertThat(dry.exitCode()).isEqualTo(7);
    assertThat(dry.out())
        .containsPattern(
            "- subscription a-\\d+ \\(http://127.0.0.1:9/a\\): 1 pending delivery and 0 dead"
                + " letters are discarded with it\n");
  }

  @Test
  void secretsAreSetRenewedAndTakenAway() throws IOException {
    String with =
        "topics: {a: {subscriptions: [{endpoint: http://127.0.0.1:9/a, http: {token: {variable:"
            + " SIGNING}}}]}}";
    String without = "topics: {a: {subscriptions: [{endpoint: http://127.0.0.1:9/a}]}}";
    applied(without);

    assertThat(applied(with)).contains(": http.token none -> set\n");
    assertThat(applied(with)).isEqualTo("0 changes, 2 unchanged\n");
    String file = file("given.yaml", with);
    assertThat(run("apply", "--renew-secrets", file).out()).contains(": http.token sent again\n");
    assertThat(
            new CommandRun()
                .with("REPRISE_URL", service.baseUrl())
                .execute("apply", "--renew-secrets", file)
                .err())
        .contains("line 1")
        .contains("needs the variable SIGNING, which is not set");
    assertThat(applied(without)).contains(": http.token set -> none\n");
    CommandRun.Result literal =
        run("apply", file("given.yaml", with.replace("{variable: SIGNING}", "abc")));
    assertThat(literal.exitCode()).isZero();
    assertThat(literal.err()).contains("is a secret that stands in the file").doesNotContain("abc");
  }

  @Test
  void aSigningSecretThatWasRotatedStays() throws IOException {
    String with =
        "topics: {a: {subscriptions: [{endpoint: http://127.0.0.1:9/a, http: {signingSecret:"
            + " {variable: SIGNING}}}]}}";
    applied(with);
    JsonNode list =
        JsonMapper.shared().readTree(run("subscription", "list", "--json").out()).path("items");
    assertThat(run("subscription", "sign", list.get(0).path("id").asString()).exitCode()).isZero();

    assertThat(applied(with)).isEqualTo("0 changes, 2 unchanged\n");
  }

  @Test
  void whatOnlyAnIdTellsApartIsExportedWithIt() throws IOException {
    run("topic", "create", "twice");
    for (int i = 0; i < 2; i++) {
      assertThat(run("subscribe", "twice", "http://127.0.0.1:9/t", "--suspended").exitCode())
          .isZero();
    }
    String target =
        JsonMapper.shared()
            .readTree(run("subscription", "list", "--json").out())
            .at("/items/1/id")
            .asString();
    run("subscribe", "twice", "http://127.0.0.1:9/u", "--dead-letter-target", target);
    CommandRun.Result export = run("export");
    assertThat(export.out()).contains("id: " + target).contains("deadLetterTarget: " + target);
    String given = file("twice.yaml", export.out());

    assertThat(run("apply", "--dry-run", "--prune", given).exitCode()).isZero();
    try (Service fresh = DevService.start(folder.resolve("other"))) {
      run(fresh, "topic", "create", "first");
      run(fresh, "subscribe", "first", "http://127.0.0.1:9/f");
      CommandRun.Result made = run(fresh, "apply", given);
      assertThat(made.exitCode()).as(made.err()).isZero();
      // Ids of another service may mean the other of two that are alike, and then once more.
      run(fresh, "apply", given);
      CommandRun.Result again = run(fresh, "apply", "--dry-run", given);
      assertThat(again.exitCode()).as(again.out()).isZero();
    }
  }

  @Test
  void jsonIsReadAndWritten() throws IOException {
    String given = file("given.json", "{\n\t\"topics\": {\"a\": {}, \"b\": null}\n}");

    JsonNode answer =
        JsonMapper.shared().readTree(run("apply", "--json", "--dry-run", given).out());

    assertThat(answer.toString())
        .isEqualTo(
            "{\"dryRun\":true,\"changes\":[{\"change\":\"add\",\"kind\":\"topic\",\"name\":\"a\","
                + "\"details\":[]},{\"change\":\"add\",\"kind\":\"topic\",\"name\":\"b\","
                + "\"details\":[]}],\"unchanged\":0,\"notInFiles\":[]}");
  }
}
