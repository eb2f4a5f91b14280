package dev.reprise.libraries;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.reprise.testkit.RefusingPort;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.http.HttpHost;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.elasticsearch.client.Request;
import org.elasticsearch.client.RestClient;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Clients of brokers, stores and services. */
class ServiceClientsTest {
  private static final String UNKNOWN = "unknown.invalid";

  /** Asks a server for something. */
  interface Ask {
    void at(String host, int port, Patience patience) throws Exception;
  }

  private static Cell refused(String library, String verdict, Ask ask) {
    return new Cell(
        library,
        "connection refused",
        verdict,
        () -> {
          try (RefusingPort port = RefusingPort.take()) {
            ask.at("127.0.0.1", port.number(), Patience.ENDLESS);
          }
        });
  }

  private static Cell unknown(String library, String verdict, Ask ask) {
    return new Cell(library, "unknown host", verdict, () -> ask.at(UNKNOWN, 1, Patience.ENDLESS));
  }

  private static Patience patienceOf(String failure) {
    if (failure.equals("connect time-out")) {
      return Patience.TO_CONNECT;
    }
    return failure.startsWith("no answer") || failure.equals("read time-out")
        ? Patience.FOR_ANSWER
        : Patience.ENDLESS;
  }

  private interface NewPeer {
    Peer open();
  }

  private static Cell at(String library, String failure, String verdict, NewPeer peer, Ask ask) {
    return new Cell(
        library,
        failure,
        verdict,
        () -> {
          try (Peer open = peer.open()) {
            ask.at("127.0.0.1", open.port(), patienceOf(failure));
          }
        });
  }

  static Stream<Cell> lettuce() {
    Ask ask = ServiceClientsTest::lettuce;
    return Stream.of(
        refused("Lettuce", "YES", ask),
        unknown("Lettuce", "YES", ask),
        at("Lettuce", "connect time-out", "YES", Peer::full, ask),
        at("Lettuce", "no answer", "MAYBE", () -> redis("GET", null), ask),
        at("Lettuce", "hung up", "MAYBE", () -> redis("GET", ""), ask),
        at("Lettuce", "loading", "YES", () -> redis("GET", "-LOADING Redis is loading\r\n"), ask),
        at("Lettuce", "read-only", "YES", () -> redis("GET", "-READONLY You can't write\r\n"), ask),
        at(
            "Lettuce",
            "busy",
            "YES",
            () -> redis("GET", "-BUSY Redis is busy running a script\r\n"),
            ask),
        at("Lettuce", "wrong type", "NO", () -> redis("GET", "-WRONGTYPE Operation\r\n"), ask),
        at("Lettuce", "wrong password", "NO", () -> redis("HELLO", "-WRONGPASS invalid\r\n"), ask));
  }

  static Stream<Cell> jedis() {
    Ask ask = ServiceClientsTest::jedis;
    return Stream.of(
        refused("Jedis", "YES", ask),
        unknown("Jedis", "YES", ask),
        at("Jedis", "connect time-out", "YES", Peer::full, ask),
        at("Jedis", "no answer", "MAYBE", () -> redis("GET", null), ask),
        at("Jedis", "hung up", "MAYBE", () -> redis("GET", ""), ask),
        at("Jedis", "loading", "YES", () -> redis("GET", "-LOADING Redis is loading\r\n"), ask),
        at("Jedis", "read-only", "YES", () -> redis("GET", "-READONLY You can't write\r\n"), ask),
        at(
            "Jedis",
            "busy",
            "YES",
            () -> redis("GET", "-BUSY Redis is busy running a script\r\n"),
            ask),
        at("Jedis", "wrong type", "NO", () -> redis("GET", "-WRONGTYPE Operation\r\n"), ask),
        at(
            "Jedis",
            "pool exhausted",
            "YES",
            () -> redis("GET", null),
            ServiceClientsTest::jedisPool));
  }

  static Stream<Cell> mongo() {
    Ask ask = ServiceClientsTest::mongo;
    return Stream.of(
        refused("MongoDB", "YES", ask),
        unknown("MongoDB", "YES", ask),
        at("MongoDB", "no answer to the greeting", "YES", Peer::silent, ask),
        at("MongoDB", "hung up during the greeting", "YES", Peer::hangingUp, ask));
  }

  static Stream<Cell> kafka() {
    Ask ask = ServiceClientsTest::kafka;
    return Stream.of(
        refused("Kafka producer", "YES", ask),
        new Cell(
            "Kafka producer",
            "unresolved bootstrap",
            "YES",
            () -> kafka(UNKNOWN, 1, Patience.ENDLESS)),
        at("Kafka producer", "silent", "YES", Peer::silent, ask),
        refused("Kafka admin", "MAYBE", ServiceClientsTest::kafkaAdmin));
  }

  static Stream<Cell> rabbit() {
    Ask ask = ServiceClientsTest::rabbit;
    return Stream.of(
        refused("RabbitMQ", "YES", ask),
        unknown("RabbitMQ", "YES", ask),
        at("RabbitMQ", "connect time-out", "YES", Peer::full, ask),
        at("RabbitMQ", "no answer to the log-in", "MAYBE", Peer::silent, ask),
        at("RabbitMQ", "hung up during the log-in", "MAYBE", Peer::hangingUpAtFirstByte, ask));
  }

  static Stream<Cell> jms() {
    Ask ask = ServiceClientsTest::jms;
    return Stream.of(
        refused("Qpid JMS", "YES", ask),
        unknown("Qpid JMS", "YES", ask),
        at("Qpid JMS", "connect time-out", "YES", Peer::full, ask),
        at("Qpid JMS", "no answer to the log-in", "MAYBE", Peer::silent, ask),
        at("Qpid JMS", "hung up during the log-in", "MAYBE", Peer::hangingUpAtFirstByte, ask));
  }

  static Stream<Cell> elasticsearch() {
    Ask ask = ServiceClientsTest::elasticsearch;
    return Stream.of(
        refused("Elasticsearch", "YES", ask),
        unknown("Elasticsearch", "YES", ask),
        at("Elasticsearch", "connect time-out", "YES", Peer::full, ask),
        at("Elasticsearch", "read time-out", "MAYBE", Peer::silent, ask),
        at("Elasticsearch", "hung up", "MAYBE", Peer::hangingUpAfterTheRequest, ask),
        at("Elasticsearch", "429", "YES throttle", () -> Peer.answering(429, "", "{}"), ask),
        at("Elasticsearch", "503", "MAYBE", () -> Peer.answering(503, "", "{}"), ask),
        at("Elasticsearch", "400", "NO", () -> Peer.answering(400, "", "{}"), ask),
        at("Elasticsearch", "409", "NO", () -> Peer.answering(409, "", "{}"), ask));
  }

  static Stream<Cell> aws() {
    Ask ask = ServiceClientsTest::aws;
    return Stream.of(
        refused("AWS SDK 2", "YES", ask),
        unknown("AWS SDK 2", "YES", ask),
        at("AWS SDK 2", "connect time-out", "YES", Peer::full, ask),
        at("AWS SDK 2", "read time-out", "MAYBE", Peer::silent, ask),
        at("AWS SDK 2", "hung up", "MAYBE", Peer::hangingUpAfterTheRequest, ask),
        at("AWS SDK 2", "500", "MAYBE", () -> Peer.answering(500, "", "{}"), ask),
        at("AWS SDK 2", "503", "MAYBE", () -> Peer.answering(503, "", "{}"), ask),
        at("AWS SDK 2", "429", "YES throttle", () -> Peer.answering(429, "", "{}"), ask),
        at(
            "AWS SDK 2",
            "throttled",
            "YES throttle",
            () ->
                Peer.answering(
                    400,
                    "x-amzn-query-error: ThrottlingException;Sender\r\n",
                    "{\"__type\":\"com.amazonaws.sqs#ThrottlingException\"}"),
            ask),
        at(
            "AWS SDK 2",
            "no such queue",
            "NO",
            () -> Peer.answering(400, "", "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\"}"),
            ask),
        at(
            "AWS SDK 2",
            "call time-out",
            "MAYBE",
            Peer::silent,
            (host, port, patience) -> aws(host, port, Patience.ENDLESS, true)));
  }

  static Stream<Cell> grpc() {
    Ask ask = ServiceClientsTest::grpc;
    return Stream.concat(
        Stream.of(
            refused("gRPC", "YES", ask),
            unknown("gRPC", "YES", ask),
            at("gRPC", "no answer before the deadline", "MAYBE", Peer::silent, ask),
            at("gRPC", "hung up", "MAYBE", Peer::hangingUpAtFirstByte, ask)),
        Arrays.stream(Status.Code.values())
            .filter(code -> code != Status.Code.OK)
            .map(
                code ->
                    new Cell(
                        "gRPC",
                        code.name(),
                        switch (code) {
                          case UNAVAILABLE, DEADLINE_EXCEEDED -> "MAYBE";

                          case RESOURCE_EXHAUSTED -> "YES throttle";
                          default -> "NO";
                        },
                        () -> {
                          throw code.toStatus().asRuntimeException();
                        })));
  }

  @ParameterizedTest
  @MethodSource({
    "lettuce",
    "jedis",
    "mongo",
    "kafka",
    "rabbit",
    "jms",
    "elasticsearch",
    "aws",
    "grpc"
  })
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }

  /**
   * Answers each command of Redis with OK, but that one as told: null for silence, empty hangs up.
   */
  private static Peer redis(String special, String answer) {
    return Peer.of(
        connection -> {
          InputStream in = connection.getInputStream();
          OutputStream out = connection.getOutputStream();
          while (true) {
            String line = line(in);
            int parts = Integer.parseInt(line.substring(1));
            String command = null;
            for (int i = 0; i < parts; i++) {
              line(in);
              String part = line(in);
              command = command == null ? part : command;
            }
            String reply = "+OK\r\n";
            if (special.equalsIgnoreCase(command)) {
              if (answer == null) {
                Peer.readToTheEnd(connection);
                return;
              }
              if (answer.isEmpty()) {
                return;
              }
              reply = answer;
            } else if ("HELLO".equalsIgnoreCase(command)) {
              reply = "-ERR unknown command\r\n";
            } else if ("PING".equalsIgnoreCase(command)) {
              reply = "+PONG\r\n";
            }
            out.write(reply.getBytes(StandardCharsets.US_ASCII));
            out.flush();
          }
        });
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("end");
      }
      if (next == '\n') {
        return line.substring(0, line.length() - 1);
      }
      line.append((char) next);
    }
  }

  private static void lettuce(String host, int port, Patience patience) {
    RedisClient client =
        RedisClient.create(
            RedisURI.builder()
                .withHost(host)
                .withPort(port)
                .withTimeout(Duration.ofMillis(patience.answerMillis()))
                .build());
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .socketOptions(
                SocketOptions.builder()
                    .connectTimeout(Duration.ofMillis(patience.connectMillis()))
                    .build())
            .build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().get("x");
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofMinutes(1));
    }
  }

  private static void jedis(String host, int port, Patience patience) {
    try (Jedis jedis = new Jedis(host, port, patience.connectMillis(), patience.answerMillis())) {
      jedis.get("x");
    }
  }

  @SuppressWarnings("deprecation") // the pool that most programs have
  private static void jedisPool(String host, int port, Patience patience) {
    JedisPoolConfig config = new JedisPoolConfig();
    config.setMaxTotal(1);
    config.setMaxWait(Duration.ofMillis(Patience.SHORT));
    try (JedisPool pool = new JedisPool(config, host, port);
        Jedis first = pool.getResource();
        Jedis second = pool.getResource()) {
      first.get(second.toString());
    }
  }

  private static void mongo(String host, int port, Patience patience) {
    try (MongoClient client =
        MongoClients.create(
            MongoClientSettings.builder()
                .applyToClusterSettings(
                    cluster ->
                        cluster
                            .hosts(List.of(new ServerAddress(host, port)))
                            .serverSelectionTimeout(Patience.SHORT, TimeUnit.MILLISECONDS))
                .applyToSocketSettings(
                    socket ->
                        socket
                            .connectTimeout(Patience.SHORT, TimeUnit.MILLISECONDS)
                            .readTimeout(Patience.SHORT, TimeUnit.MILLISECONDS))
                .build())) {
      client.getDatabase("x").getCollection("x").find().first();
    }
  }

  private static void kafka(String host, int port, Patience patience) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                host + ":" + port,
                "max.block.ms",
                "" + Patience.SHORT,
                "request.timeout.ms",
                "" + Patience.SHORT),
            new StringSerializer(),
            new StringSerializer())) {
      try {
        producer.send(new ProducerRecord<>("x", "x")).get();
      } finally {
        producer.close(Duration.ZERO);
      }
    }
  }

  private static void kafkaAdmin(String host, int port, Patience patience) throws Exception {
    try (Admin admin =
        Admin.create(
            Map.of(
                "bootstrap.servers", host + ":" + port,
                "default.api.timeout.ms", "" + Patience.SHORT,
                "request.timeout.ms", "" + Patience.SHORT))) {
      admin.listTopics().names().get();
    }
  }

  private static void rabbit(String host, int port, Patience patience) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(host);
    factory.setPort(port);
    factory.setConnectionTimeout(patience.connectMillis());
    factory.setHandshakeTimeout(patience.answerMillis());
    factory.setAutomaticRecoveryEnabled(false);
    try (Connection connection = factory.newConnection()) {
      connection.createChannel();
    }
  }

  private static void jms(String host, int port, Patience patience) throws Exception {
    JmsConnectionFactory factory =
        new JmsConnectionFactory(
            "amqp://"
                + host
                + ":"
                + port
                + "?jms.connectTimeout="
                + patience.answerMillis()
                + "&transport.connectTimeout="
                + patience.connectMillis());
    try (jakarta.jms.Connection connection = factory.createConnection("u", "p")) {
      connection.start();
    }
  }

  private static void elasticsearch(String host, int port, Patience patience) throws Exception {
    try (RestClient client =
        RestClient.builder(new HttpHost(host, port))
            .setRequestConfigCallback(
                config ->
                    config
                        .setConnectTimeout(patience.connectMillis())
                        .setSocketTimeout(patience.answerMillis()))
            .build()) {
      client.performRequest(new Request("GET", "/"));
    }
  }

  private static void aws(String host, int port, Patience patience) {
    aws(host, port, patience, false);
  }

  private static void aws(String host, int port, Patience patience, boolean callTimeout) {
    try (SqsClient client =
        SqsClient.builder()
            .region(Region.US_EAST_1)
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
            .endpointOverride(URI.create("http://" + host + ":" + port))
            .overrideConfiguration(
                config -> {
                  config.retryStrategy(retries -> retries.maxAttempts(1));
                  if (callTimeout) {
                    config.apiCallTimeout(Duration.ofMillis(Patience.SHORT));
                  }
                })
            .httpClient(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(Duration.ofMillis(patience.connectMillis()))
                    .socketTimeout(Duration.ofMillis(patience.answerMillis()))
                    .build())
            .build()) {
      client.sendMessage(
          message -> message.queueUrl("http://" + host + ":" + port + "/1/q").messageBody("x"));
    }
  }

  private static final MethodDescriptor.Marshaller<String> TEXT =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String text) {
          return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
          return "";
        }
      };

  private static void grpc(String host, int port, Patience patience) {
    ManagedChannel channel = NettyChannelBuilder.forAddress(host, port).usePlaintext().build();
    try {
      ClientCalls.blockingUnaryCall(
          channel,
          MethodDescriptor.newBuilder(TEXT, TEXT)
              .setType(MethodDescriptor.MethodType.UNARY)
              .setFullMethodName("x.Y/z")
              .build(),
          CallOptions.DEFAULT.withDeadlineAfter(patience.answerMillis(), TimeUnit.MILLISECONDS),
          "x");
    } finally {
      channel.shutdownNow();
    }
  }
}
