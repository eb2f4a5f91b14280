package dev.reprise.libraries;

import com.microsoft.sqlserver.jdbc.SQLServerException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.grpc.Status;
import io.lettuce.core.RedisException;
import io.netty.handler.timeout.WriteTimeoutException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.TransactionRolledBackException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.TimeoutException;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** Failures of which the library's own exception is enough: what a real server would have said. */
class StatedFailuresTest {
  private static final ServerAddress MONGO = new ServerAddress("127.0.0.1", 1);

  private static Cell of(String library, String failure, String verdict, Exception exception) {
    return new Cell(
        library,
        failure,
        verdict,
        () -> {
          throw exception;
        });
  }

  static Stream<Cell> brokers() {
    return Stream.of(
        of("RabbitMQ", "closed by the program", "NO", closed(true, true)),
        of("RabbitMQ", "connection closed by the broker", "MAYBE", closed(true, false)),
        of("RabbitMQ", "channel closed by the broker", "NO", closed(false, false)),
        of("RabbitMQ", "refused on the channel", "NO", new IOException(signal(false, false))),
        of("RabbitMQ", "wrong password", "NO", new AuthenticationFailureException("x")),
        of("Kafka producer", "not leader", "MAYBE", new NotLeaderOrFollowerException("x")),
        of(
            "Kafka producer",
            "record expired",
            "MAYBE",
            new TimeoutException(
                "Expiring 1 record(s) for x-0:120000 ms has passed since batch creation")),
        of("Kafka producer", "record too large", "NO", new RecordTooLargeException("x")),
        of("Kafka producer", "wrong setting", "NO", new ConfigException("x")),
        of("Kafka admin", "throttled", "YES throttle", new ThrottlingQuotaExceededException("x")),
        of("JMS", "transaction rolled back", "YES", new TransactionRolledBackException("x")),
        of("JMS", "no resources", "YES throttle", new ResourceAllocationException("x")),
        of("JMS", "wrong password", "NO", new JMSSecurityException("x")));
  }

  private static ShutdownSignalException signal(boolean ofConnection, boolean byProgram) {
    return new ShutdownSignalException(ofConnection, byProgram, null, null);
  }

  private static AlreadyClosedException closed(boolean ofConnection, boolean byProgram) {
    return new AlreadyClosedException(signal(ofConnection, byProgram));
  }

  static Stream<Cell> stores() {
    MongoException inTransaction = new MongoCommandException(new BsonDocument(), MONGO);
    inTransaction.addLabel("TransientTransactionError");
    MongoException write = new MongoCommandException(new BsonDocument(), MONGO);
    write.addLabel("RetryableWriteError");
    return Stream.of(
        of(
            "MongoDB",
            "not primary",
            "MAYBE",
            new MongoNotPrimaryException(new BsonDocument(), MONGO)),
        of(
            "MongoDB",
            "recovering",
            "MAYBE",
            new MongoNodeIsRecoveringException(new BsonDocument(), MONGO)),
        of(
            "MongoDB",
            "cannot connect",
            "YES",
            new MongoSocketOpenException("x", MONGO, new ConnectException("Connection refused"))),
        of("MongoDB", "connection broke", "MAYBE", new MongoSocketReadException("x", MONGO)),
        of("MongoDB", "transaction conflict", "YES", inTransaction),
        of("MongoDB", "retryable write", "MAYBE", write),
        of(
            "MongoDB",
            "refused command",
            "NO",
            new MongoCommandException(new BsonDocument(), MONGO)),
        of(
            "MongoDB",
            "wrong password",
            "NO",
            new MongoSecurityException(
                MongoCredential.createCredential("u", "d", new char[0]), "x")),
        of(
            "Lettuce",
            "not connected",
            "YES",
            new RedisException("Currently not connected. Commands are rejected.")),
        of("Lettuce", "closed by the program", "NO", new RedisException("Connection is closed")));
  }

  static Stream<Cell> services() {
    return Stream.of(
        of(
            "gRPC",
            "message too large",
            "NO",
            Status.RESOURCE_EXHAUSTED
                .withDescription("gRPC message exceeds maximum size 4: 5")
                .asRuntimeException()),
        of("gRPC", "checked UNAVAILABLE", "MAYBE", Status.UNAVAILABLE.asException()),
        of("Netty", "write time-out", "MAYBE", WriteTimeoutException.INSTANCE),
        of("AWS SDK 2", "aborted", "NO", AbortedException.create("x")),
        new Cell("AWS SDK 2 async", "pool exhausted", "YES", StatedFailuresTest::awsPool));
  }

  static Stream<Cell> sqlServer() {
    return Stream.of(
        sqlServer("deadlock", "YES", "40001", 1205),
        sqlServer("lock time-out", "YES", "S0001", 1222),
        sqlServer("snapshot conflict", "YES", "S0001", 3960),
        sqlServer("read-only", "YES", "S0001", 3906),
        sqlServer("starting up", "YES", "S0001", 922),
        sqlServer("not available", "YES", "S0001", 40613),
        sqlServer("service busy", "YES throttle", "S0001", 40501),
        sqlServer("too many connections", "YES throttle", "S0001", 17809),
        sqlServer("connection killed", "MAYBE", "S0001", 596),
        sqlServer("wrong password", "NO", "S0001", 18456),
        sqlServer("constraint", "NO", "23000", 2627));
  }

  private static Cell sqlServer(String failure, String verdict, String state, int code) {
    return new Cell(
        "SQL Server",
        failure,
        verdict,
        () -> {
          Constructor<SQLServerException> constructor =
              SQLServerException.class.getDeclaredConstructor(
                  String.class, String.class, int.class, Throwable.class);
          constructor.setAccessible(true);
          throw constructor.newInstance("scripted", state, code, null);
        });
  }

  @ParameterizedTest
  @MethodSource({"brokers", "stores", "services", "sqlServer"})
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }

  private static void awsPool() throws Exception {
    try (Peer peer = Peer.silent();
        SqsAsyncClient client =
            SqsAsyncClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(
                    StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
                .endpointOverride(URI.create("http://" + peer.address()))
                .overrideConfiguration(
                    config -> config.retryStrategy(retries -> retries.maxAttempts(1)))
                .httpClientBuilder(
                    NettyNioAsyncHttpClient.builder()
                        .maxConcurrency(1)
                        .readTimeout(Duration.ofMillis(Patience.LONG))
                        .connectionAcquisitionTimeout(Duration.ofMillis(Patience.SHORT)))
                .build()) {
      // Either of them may have the connection, and the other one is told.
      CompletableFuture.anyOf(client.listQueues(), client.listQueues()).get();
    }
  }
}
