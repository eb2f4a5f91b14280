package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cli.RecordingAuthorizer.Decision;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.broker.ReservedPort;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import dev.reprise.server.fixture.WebhookReceiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Three brokers and two nodes, set up as service/cluster/OPERATIONS.md says and by nothing else:
 * settings, rights and commands are read from that page. Only names, addresses, ports and folders
 * are others.
 */
@Tag("slow")
class ClusterSetUpTest {
  private static final int NODES = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String BROKER = "broker";
  private static final String OF_ITS_OWN = "group-of-its-own";

  /** The users for the principals of the table. */
  private static final Map<String, String> USERS =
      Map.of(
          "node", "node",
          "application that publishes by producing", "publisher",
          "application that reads outcomes", "reader");

  /** What the page says of a setting, such as {@code 2 (the default)}. */
  private static final Pattern VALUE =
      Pattern.compile("`?(\\w+)`?( s)?(?: \\((?:(the default)|([0-9]+) min by default)\\).*)?");

  private static final Pattern SESSION = Pattern.compile("must include `--session` \\((\\d+) s\\)");
  private static final Pattern IN_CODE = Pattern.compile("`([^`]+)`");

  @TempDir Path folder;
  private final OperationsPage page;
  private final List<StartedProcess> nodes = new ArrayList<>();
  private final List<ReservedPort> ports = new ArrayList<>();
  private Brokers brokers;
  private Admin admin;

  ClusterSetUpTest() throws IOException {
    page = OperationsPage.read();
  }

  @AfterEach
  void end() {
    nodes.forEach(StartedProcess::close);
    ports.forEach(ReservedPort::close);
    if (admin != null) {
      admin.close(Duration.ZERO);
    }
    if (brokers != null) {
      brokers.close();
    }
  }

  @Test
  void thePageLeadsToAClusterThatDelivers() throws Exception {
    Path notes = Files.createDirectories(folder.resolve("notes"));
    startBrokers(notes);
    Set<AclBinding> rights = rights();
    admin.createAcls(rights).all().get();
    for (int i = 1; i <= NODES; i++) {
      startNode(i);
    }
    String key = firstKey();
    await("a cluster that is whole", () -> run(key, page.command("cluster")).exitCode() == 0);

    try (WebhookReceiver endpoint = new WebhookReceiver()) {
      succeed(key, "topic", "create", "orders");
      succeed(key, "subscribe", "orders", endpoint.url());
      succeed(key, "publish", "orders", "{\"order\": 1001}");
      produce();
      await("two deliveries", () -> endpoint.received.size() >= 2);
      await("two that are delivered", () -> ledger(key).at("/total/delivered").intValue() == 2);
    }
    JsonNode total = ledger(key).at("/total");
    assertThat(total.get("accepted").intValue()).isEqualTo(2);
    assertThat(total.get("unexplained").intValue()).isZero();
    CommandRun.Result cluster = run(key, page.command("cluster"));
    assertThat(cluster.exitCode()).as(cluster.out() + cluster.err()).isZero();
    assertThat(cluster.out()).contains("node-1", "node-2", "64 of 64 shards at work");
    assertThat(run(key, page.command("cluster", "acknowledge")).exitCode()).isZero();
    assertThat(outcomes(2)).allSatisfy(each -> assertThat(each).contains("delivered"));

    Set<Decision> decisions = RecordingAuthorizer.read(notes);
    assertThat(decisions)
        .as("what nodes were refused")
        .noneMatch(each -> each.user().equals("node") && each.told() && !each.allowed());
    assertThat(rights)
        .as("rights that were needed")
        .allSatisfy(right -> assertThat(decisions).anyMatch(each -> isUse(each, right)));
  }

  private void startBrokers(Path notes) throws Exception {
    Map<String, String> settings = new HashMap<>();
    Map<String, String> defaults = new HashMap<>();
    for (List<String> row : page.table("setting of the brokers")) {
      for (String name : inCode(row.get(0))) {
        read(name, row.get(1), settings, defaults);
      }
    }
    // The rest is about who is who, which each installation has in its own way.
    settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    String users = USERS.values().stream().map(each -> knows(each)).collect(Collectors.joining());
    settings.put(
        "listener.name.plaintext.plain.sasl.jaas.config", login(BROKER, knows(BROKER) + users));
    settings.put("authorizer.class.name", RecordingAuthorizer.class.getName());
    settings.put(RecordingAuthorizer.FOLDER, notes.toString());
    settings.put("super.users", "User:" + BROKER + ";User:ANONYMOUS");
    brokers = Brokers.start(folder.resolve("brokers"), 3, settings, client(BROKER));
    admin = Admin.create(clients(BROKER));

    Map<String, ConfigEntry> found = settingsOfABroker();
    assertThat(settings).hasSizeGreaterThan(defaults.size());
    assertThat(defaults).isNotEmpty();
    defaults.forEach(
        (name, value) ->
            assertThat(found.get(name).synonyms())
                .as("the default of " + name)
                .anySatisfy(
                    each -> {
                      assertThat(each.source()).isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);
                      assertThat(each.value()).isEqualTo(value);
                    }));
  }

  private static void read(
      String name, String text, Map<String, String> settings, Map<String, String> defaults) {
    Matcher session = SESSION.matcher(text);
    if (session.matches()) {
      // The narrowest that include it.
      settings.put(name, millis(session.group(1)));
      return;
    }
    Matcher value = VALUE.matcher(text);
    assertThat(value.matches()).as(name + " is to be " + text).isTrue();
    String wanted = value.group(2) == null ? value.group(1) : millis(value.group(1));
    settings.put(name, wanted);
    if (value.group(3) != null) {
      defaults.put(name, wanted);
    } else if (value.group(4) != null) {
      defaults.put(name, Long.toString(TimeUnit.MINUTES.toMillis(Long.parseLong(value.group(4)))));
    }
  }

  private static String millis(String seconds) {
    return Long.toString(TimeUnit.SECONDS.toMillis(Long.parseLong(seconds)));
  }

  private Map<String, ConfigEntry> settingsOfABroker() throws Exception {
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
    return admin
        .describeConfigs(List.of(broker), new DescribeConfigsOptions().includeSynonyms(true))
        .all()
        .get()
        .get(broker)
        .entries()
        .stream()
        .collect(Collectors.toMap(ConfigEntry::name, each -> each));
  }

  /** The rights of the table, each operation one. */
  private Set<AclBinding> rights() {
    Set<AclBinding> rights = new HashSet<>();
    for (List<String> row : page.table("principal")) {
      assertThat(USERS).containsKey(row.get(0));
      String[] resources = row.get(1).split(";", -1);
      String[] operations = row.get(2).split(";", -1);
      assertThat(operations).hasSameSizeAs(resources);
      for (int i = 0; i < resources.length; i++) {
        for (ResourcePattern resource : resources(resources[i].strip())) {
          for (AclOperation operation : operations(operations[i])) {
            rights.add(
                new AclBinding(
                    resource,
                    new AccessControlEntry(
                        "User:" + USERS.get(row.get(0)), "*", operation, AclPermissionType.ALLOW)));
          }
        }
      }
    }
    return rights;
  }

  private static List<ResourcePattern> resources(String text) {
    if (text.equals("a group of its own")) {
      return List.of(new ResourcePattern(ResourceType.GROUP, OF_ITS_OWN, PatternType.LITERAL));
    }
    ResourceType type =
        text.startsWith("topic")
            ? ResourceType.TOPIC
            : text.startsWith("group") ? ResourceType.GROUP : ResourceType.TRANSACTIONAL_ID;
    assertThat(text).containsPattern("^(topics?|group|transactional ids) ");
    PatternType pattern =
        text.contains(" with the prefix ") ? PatternType.PREFIXED : PatternType.LITERAL;
    List<ResourcePattern> resources =
        inCode(text).stream().map(name -> new ResourcePattern(type, name, pattern)).toList();
    assertThat(resources).as(text).isNotEmpty();
    return resources;
  }

  /** Those that the text has; what else it has is for people. */
  private static List<AclOperation> operations(String text) {
    List<AclOperation> operations =
        Arrays.stream(text.split("[, ]+"))
            .map(word -> word.replaceAll("(?<=[a-z])(?=[A-Z])", "_"))
            .map(AclOperation::fromString)
            .filter(each -> each != AclOperation.UNKNOWN)
            .toList();
    assertThat(operations).as(text).isNotEmpty();
    return operations;
  }

  private static boolean isUse(Decision decision, AclBinding right) {
    ResourcePattern resource = right.pattern();
    return decision.allowed()
        && decision.told()
        && right.entry().principal().equals("User:" + decision.user())
        && right.entry().operation() == decision.operation()
        && resource.resourceType() == decision.type()
        && (resource.patternType() == PatternType.LITERAL
            ? decision.name().equals(resource.name())
            : decision.name().startsWith(resource.name()));
  }

  private static List<String> inCode(String text) {
    return IN_CODE.matcher(text).results().map(each -> each.group(1)).toList();
  }

  private void startNode(int number) throws Exception {
    ReservedPort port = new ReservedPort("127.0.0.1");
    ports.add(port);
    String properties =
        client("node").entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue() + "\n")
            .collect(Collectors.joining());
    Path file = Files.writeString(folder.resolve("kafka.properties"), properties);
    List<String> flags = StartedProcess.quick("-Xmx512m");
    List<String> words =
        new ArrayList<>(
            OperationsPage.with(
                Map.of(
                    "--cluster", brokers.bootstrap(),
                    "--cluster-properties", file.toString(),
                    "--node", "node-" + number,
                    "--node-url", url(port),
                    "--host", "127.0.0.1",
                    "--data", data(number).toString()),
                page.command("serve")));
    // One machine has all nodes, and the endpoint.
    words.addAll(List.of("--port", Integer.toString(port.number()), "--allow", "127.0.0.0/8"));
    ProcessBuilder builder =
        new ProcessBuilder(StartedProcess.java(flags, Main.class.getName(), words))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(number).toFile()));
    nodes.add(StartedProcess.start("node-" + number, builder, log(number)));
  }

  private static String url(ReservedPort port) {
    return "http://127.0.0.1:" + port.number();
  }

  private Path data(int node) {
    return folder.resolve("node-" + node);
  }

  private Path log(int node) {
    return folder.resolve("node-" + node + ".log");
  }

  /** The one that one of the nodes has made. */
  private String firstKey() throws Exception {
    List<Path> files = new ArrayList<>();
    await(
        "an API key",
        () -> {
          for (int i = 1; i <= NODES; i++) {
            Path file = data(i).resolve("first-api-key");
            if (Files.exists(file) && Files.size(file) > 0) {
              files.add(file);
            }
          }
          return !files.isEmpty();
        });
    return Files.readString(files.get(0), UTF_8).strip();
  }

  private CommandRun.Result run(String key, List<String> words) {
    return new CommandRun()
        .with("REPRISE_URL", url(ports.get(0)))
        .with("REPRISE_KEY", key)
        .execute(words.toArray(String[]::new));
  }

  private CommandRun.Result succeed(String key, String... words) {
    CommandRun.Result result = run(key, List.of(words));
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  private JsonNode ledger(String key) {
    return JsonMapper.shared().readTree(succeed(key, "ledger", "--json").out());
  }

  /** An application publishes by producing, and may nothing else. */
  private void produce() throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(clients("publisher"), new StringSerializer(), new StringSerializer())) {
      ProducerRecord<String, String> message = new ProducerRecord<>("reprise.open", "by hand");
      message.headers().add("reprise-topic", "orders".getBytes(UTF_8));
      message.headers().add("content-type", "text/plain".getBytes(UTF_8));
      producer.send(message).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("reprise.in", "x")).get())
          .hasCauseInstanceOf(TopicAuthorizationException.class);
    }
  }

  /** As many events as are wanted at the least. */
  private Set<String> outcomes(int wanted) throws Exception {
    Map<String, Object> config = clients("reader");
    config.put("group.id", OF_ITS_OWN);
    config.put("auto.offset.reset", "earliest");
    // The brokers take no other.
    config.put("session.timeout.ms", "6000");
    config.put("isolation.level", "read_committed");
    Set<String> events = new TreeSet<>();
    try (KafkaConsumer<String, String> reader =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      reader.subscribe(List.of("reprise.events"));
      await(
          "events",
          () -> {
            for (ConsumerRecord<String, String> each : reader.poll(Duration.ofSeconds(1))) {
              events.add(each.value());
            }
            return events.size() >= wanted;
          });
    }
    return events;
  }

  private static Map<String, String> client(String user) {
    return Map.of(
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        login(user, ""));
  }

  private static String login(String user, String more) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\"%s;"
        .formatted(user, password(user), more);
  }

  private static String knows(String user) {
    return " user_%s=\"%s\"".formatted(user, password(user));
  }

  private static String password(String user) {
    return "of-" + user;
  }

  private Map<String, Object> clients(String user) {
    Map<String, Object> config = new HashMap<>(client(user));
    config.put("bootstrap.servers", brokers.bootstrap());
    return config;
  }

  private void await(String what, Await.Condition condition) {
    Await.until(
        what,
        this::said,
        () -> {
          boolean holds = condition.holds();
          if (!holds) {
            for (StartedProcess each : nodes) {
              assertThat(each.isAlive()).as(() -> "a node has ended" + said()).isTrue();
            }
          }
          return holds;
        });
  }

  private String said() {
    return nodes.stream().map(StartedProcess::said).collect(Collectors.joining("\n"));
  }
}
