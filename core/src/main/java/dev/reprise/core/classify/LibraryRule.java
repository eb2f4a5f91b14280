package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import org.jspecify.annotations.Nullable;

/**
 * Failures of clients that are no part of the JDK. Their classes are known by name, so that nothing
 * depends on them, and their values are read by reflection, of public methods alone; what cannot be
 * read is not known.
 *
 * <p>Only what is certain is here. {@code testkit/libraries} provokes each of them with the library
 * itself; the table in {@code core/TESTS.md} has what was seen.
 */
final class LibraryRule {
  /** The kind of a class that no library of this list throws. */
  static final int NONE = 0;

  private static final int CONNECT_TIMEOUT = 1;
  private static final int NONE_FREE = 2;
  private static final int NO_ANSWER = 3;
  private static final int BROKEN = 4;
  private static final int CANCELLED = 5;
  private static final int NOT_PROCESSED = 6;
  private static final int REFUSED = 7;
  private static final int THROTTLED = 8;
  private static final int ROLLED_BACK = 9;
  private static final int ABORTED_OF_APACHE = 10;
  private static final int STREAM_OF_OKHTTP = 11;
  private static final int GRPC = 12;
  private static final int AWS_SERVICE = 13;
  private static final int AWS_CLIENT = 14;
  private static final int STATUS_LINE = 15;
  private static final int STATUS_CODE = 16;
  private static final int STATUS_OF_JETTY = 17;
  private static final int STATUS = 18;
  private static final int KAFKA = 19;
  private static final int KAFKA_TIMEOUT = 20;
  private static final int KAFKA_SETTING = 21;
  private static final int REDIS = 22;
  private static final int LETTUCE = 23;
  private static final int LETTUCE_CONNECTION = 24;
  private static final int JEDIS_CONNECTION = 25;
  private static final int MONGO = 26;
  private static final int RABBIT_SHUTDOWN = 27;

  private static final Verdict NOT_CONNECTED =
      indication(RetrySafety.YES, "no connection, nothing was sent");
  private static final Verdict NOT_CONNECTED_IN_TIME =
      indication(RetrySafety.YES, "no connection in time, nothing was sent").withTimeout();
  private static final Verdict UNRESOLVED =
      indication(RetrySafety.YES, "the name was not resolved, nothing was sent");
  static final Verdict NO_CONNECTION_FREE =
      indication(RetrySafety.YES, "no connection of the pool was free, nothing was sent");
  private static final Verdict NOT_TAKEN =
      indication(RetrySafety.YES, "the other side did not take the request in");
  private static final Verdict TOO_MUCH =
      indication(RetrySafety.YES, "the other side asks for fewer requests").withThrottle();
  private static final Verdict UNDONE =
      indication(RetrySafety.YES, "the transaction was rolled back");
  private static final Verdict NOT_IN_TIME =
      indication(RetrySafety.MAYBE, "no answer in time").withTimeout();
  private static final Verdict OTHER_SIDE =
      indication(RetrySafety.MAYBE, "the called side is at fault");
  // A cause that tells more has the last word.
  private static final Verdict BROKE =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the connection broke");
  private static final Verdict PASSES =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "the library says that it may pass");
  private static final Verdict NOT_ACCEPTED =
      indication(RetrySafety.NO, "the other side refuses the request");
  private static final Verdict CLOSED = indication(RetrySafety.NO, "the program closed it");
  private static final Verdict BY_CALLER = Verdict.of(RetrySafety.NO, Basis.VETO, "cancelled");

  private LibraryRule() {}

  /**
   * Returns the kind of exceptions of a class, {@link #NONE} when no library is known to throw it.
   */
  static int kindOf(Class<?> type) {
    for (Class<?> known = type; known != null; known = known.getSuperclass()) {
      int kind = kindOf(known.getName());
      if (kind != NONE) {
        return kind;
      }
    }
    return NONE;
  }

  private static int kindOf(String className) {
    return switch (className) {
      // Apache HttpClient 5 and 4
      case "org.apache.hc.client5.http.ConnectTimeoutException",
          "org.apache.http.conn.ConnectTimeoutException" ->
          CONNECT_TIMEOUT;
      case "org.apache.hc.core5.http.ConnectionRequestTimeoutException",
          "org.apache.hc.core5.util.DeadlineTimeoutException",
          "org.apache.http.conn.ConnectionPoolTimeoutException" ->
          NONE_FREE;
      case "org.apache.hc.core5.http.NoHttpResponseException",
          "org.apache.hc.core5.http.ConnectionClosedException",
          "org.apache.http.NoHttpResponseException",
          "org.apache.http.ConnectionClosedException" ->
          BROKEN;
      case "org.apache.hc.core5.http.RequestNotExecutedException",
          "org.apache.hc.core5.http.MisdirectedRequestException" ->
          NOT_PROCESSED;
      case "org.apache.hc.client5.http.impl.classic.RequestFailedException",
          "org.apache.http.impl.execchain.RequestAbortedException" ->
          ABORTED_OF_APACHE;
      case "org.apache.hc.client5.http.HttpResponseException",
          "org.apache.http.client.HttpResponseException" ->
          STATUS_CODE;
      // OkHttp, Jetty
      case "okhttp3.internal.http2.StreamResetException" -> STREAM_OF_OKHTTP;
      case "org.eclipse.jetty.client.HttpResponseException" -> STATUS_OF_JETTY;
      // Netty, Reactor Netty
      case "io.netty.handler.timeout.TimeoutException" -> NO_ANSWER;
      case "io.netty.channel.pool.FixedChannelPool$AcquireTimeoutException",
          "reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException",
          "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException" ->
          NONE_FREE;
      case "reactor.netty.http.client.PrematureCloseException" -> BROKEN;
      // gRPC
      case "io.grpc.StatusRuntimeException", "io.grpc.StatusException" -> GRPC;
      // AWS SDK 2
      case "software.amazon.awssdk.core.exception.SdkServiceException" -> AWS_SERVICE;
      case "software.amazon.awssdk.core.exception.ApiCallTimeoutException",
          "software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException" ->
          NO_ANSWER;
      case "software.amazon.awssdk.core.exception.AbortedException" -> CANCELLED;
      case "software.amazon.awssdk.core.exception.NonRetryableException" -> REFUSED;
      case "software.amazon.awssdk.core.exception.SdkClientException" -> AWS_CLIENT;
      // Elasticsearch, OpenSearch
      case "org.elasticsearch.client.ResponseException",
          "org.opensearch.client.ResponseException" ->
          STATUS_LINE;
      case "co.elastic.clients.elasticsearch._types.ElasticsearchException",
          "org.opensearch.client.opensearch._types.OpenSearchException" ->
          STATUS;
      // Kafka
      case "org.apache.kafka.common.errors.ThrottlingQuotaExceededException" -> THROTTLED;
      case "org.apache.kafka.clients.producer.BufferExhaustedException" -> NONE_FREE;
      case "org.apache.kafka.common.errors.TimeoutException" -> KAFKA_TIMEOUT;
      case "org.apache.kafka.common.errors.RetriableException" -> KAFKA;
      case "org.apache.kafka.common.config.ConfigException" -> KAFKA_SETTING;
      // Redis: Lettuce, Jedis
      case "io.lettuce.core.RedisCommandTimeoutException" -> NO_ANSWER;
      case "io.lettuce.core.RedisConnectionException" -> LETTUCE_CONNECTION;
      case "io.lettuce.core.RedisCommandExecutionException",
          "redis.clients.jedis.exceptions.JedisDataException" ->
          REDIS;
      case "io.lettuce.core.RedisException" -> LETTUCE;
      case "redis.clients.jedis.exceptions.JedisConnectionException" -> JEDIS_CONNECTION;
      case "redis.clients.jedis.exceptions.JedisExhaustedPoolException" -> NONE_FREE;
      // MongoDB
      case "com.mongodb.MongoOperationTimeoutException",
          "com.mongodb.MongoExecutionTimeoutException",
          "com.mongodb.MongoSocketReadTimeoutException",
          "com.mongodb.MongoSocketWriteTimeoutException" ->
          NO_ANSWER;
      case "com.mongodb.MongoTimeoutException" -> CONNECT_TIMEOUT;
      case "com.mongodb.MongoConnectionPoolClearedException",
          "com.mongodb.MongoServerUnavailableException" ->
          NONE_FREE;
      case "com.mongodb.MongoInterruptedException" -> CANCELLED;
      case "com.mongodb.MongoSocketException" -> BROKEN;
      case "com.mongodb.MongoException" -> MONGO;
      // RabbitMQ
      case "com.rabbitmq.client.ShutdownSignalException" -> RABBIT_SHUTDOWN;
      case "com.rabbitmq.client.PossibleAuthenticationFailureException",
          "com.rabbitmq.client.ProtocolVersionMismatchException" ->
          REFUSED;
      case "com.rabbitmq.client.ChannelContinuationTimeoutException" -> NO_ANSWER;
      // JMS, Qpid JMS
      case "jakarta.jms.TransactionRolledBackException",
          "javax.jms.TransactionRolledBackException" ->
          ROLLED_BACK;
      case "jakarta.jms.ResourceAllocationException", "javax.jms.ResourceAllocationException" ->
          THROTTLED;
      case "jakarta.jms.JMSSecurityException", "javax.jms.JMSSecurityException" -> REFUSED;
      case "org.apache.qpid.jms.JmsOperationTimedOutException",
          "org.apache.qpid.jms.provider.exceptions.ProviderOperationTimedOutException" ->
          NO_ANSWER;
      case "org.apache.qpid.jms.exceptions.JmsConnectionFailedException",
          "org.apache.qpid.jms.JmsConnectionRemotelyClosedException" ->
          BROKEN;
      default -> NONE;
    };
  }

  /** Returns the verdict on a failure of a kind, or {@link Verdict#UNKNOWN}. */
  static Verdict of(int kind, Throwable failure) {
    return switch (kind) {
      case CONNECT_TIMEOUT -> NOT_CONNECTED_IN_TIME;
      case NONE_FREE -> NO_CONNECTION_FREE;
      case NO_ANSWER -> NOT_IN_TIME;
      case BROKEN -> BROKE;
      case CANCELLED -> BY_CALLER;
      case NOT_PROCESSED -> NOT_TAKEN;
      case REFUSED -> NOT_ACCEPTED;
      case THROTTLED -> TOO_MUCH;
      case ROLLED_BACK -> UNDONE;
      case ABORTED_OF_APACHE -> says(failure, "Request aborted") ? BY_CALLER : Verdict.UNKNOWN;
      case STREAM_OF_OKHTTP ->
          says(failure, "stream was reset: REFUSED_STREAM") ? NOT_TAKEN : Verdict.UNKNOWN;
      case GRPC -> ofGrpc(failure);
      case AWS_SERVICE -> ofAws(failure);
      case AWS_CLIENT ->
          contains(failure, "Acquire operation took longer than the configured maximum time")
              ? NO_CONNECTION_FREE
              : Verdict.UNKNOWN;
      case STATUS_LINE ->
          ofStatus(PublicValues.number(failure, "getResponse", "getStatusLine", "getStatusCode"));
      case STATUS_CODE -> ofStatus(PublicValues.number(failure, "getStatusCode"));
      case STATUS_OF_JETTY -> ofStatus(PublicValues.number(failure, "getResponse", "getStatus"));
      case STATUS -> ofStatus(PublicValues.number(failure, "status"));
      case KAFKA -> PASSES;
      case KAFKA_TIMEOUT -> ofKafkaTimeout(failure);
      case KAFKA_SETTING ->
          contains(failure, "No resolvable bootstrap urls") ? UNRESOLVED : NOT_ACCEPTED;
      case REDIS -> ofRedis(failure.getMessage());
      case LETTUCE -> ofLettuce(failure);
      // Thrown around whatever it was, a wrong password too.
      case LETTUCE_CONNECTION -> failure.getCause() == null ? BROKE : Verdict.UNKNOWN;
      case JEDIS_CONNECTION -> startsWith(failure, "Failed to connect to ") ? NOT_CONNECTED : BROKE;
      case MONGO -> ofMongo(failure);
      case RABBIT_SHUTDOWN -> ofRabbit(failure);
      default -> Verdict.UNKNOWN;
    };
  }

  /**
   * Returns the verdict on a status of HTTP, as that of {@code HttpFailure} without a hint.
   *
   * @param status the status, negative when it could not be read
   */
  static Verdict ofStatus(int status) {
    if (status == 429) {
      return TOO_MUCH;
    }
    // Misdirected, and too early: RFC 9110, 15.5.20; RFC 8470, 5.2.
    if (status == 421 || status == 425) {
      return NOT_TAKEN;
    }
    if (status == 408 || status == 504) {
      return NOT_IN_TIME;
    }
    // Those above 599 are to be taken for errors of the server: RFC 9110, 15.
    if (status >= 500 && status <= 999) {
      return OTHER_SIDE;
    }
    return status >= 400 && status <= 499 ? NOT_ACCEPTED : Verdict.UNKNOWN;
  }

  /** The meanings of the codes are those of the gRPC documentation, "Status codes". */
  private static Verdict ofGrpc(Throwable failure) {
    String code = PublicValues.text(failure, "getStatus", "getCode", "name");
    if (code == null) {
      return Verdict.UNKNOWN;
    }
    return switch (code) {
      // The cause tells whether there was ever a connection.
      case "UNAVAILABLE" -> BROKE;
      case "DEADLINE_EXCEEDED" -> NOT_IN_TIME;
      // Also said by our own side, of a message that will be as long the next time.
      case "RESOURCE_EXHAUSTED" ->
          contains(failure, "exceeds maximum size") || contains(failure, "larger than max")
              ? NOT_ACCEPTED
              : TOO_MUCH;
      case "INVALID_ARGUMENT",
          "NOT_FOUND",
          "ALREADY_EXISTS",
          "PERMISSION_DENIED",
          "FAILED_PRECONDITION",
          "OUT_OF_RANGE",
          "UNIMPLEMENTED",
          "UNAUTHENTICATED",
          "CANCELLED" ->
          NOT_ACCEPTED;
      // ABORTED asks for a retry of more than the call; the others tell nothing.
      default -> Verdict.UNKNOWN;
    };
  }

  private static Verdict ofAws(Throwable failure) {
    return Boolean.TRUE.equals(PublicValues.of(failure, "isThrottlingException"))
        ? TOO_MUCH
        : ofStatus(PublicValues.number(failure, "statusCode"));
  }

  private static Verdict ofKafkaTimeout(Throwable failure) {
    // The producer never learned where to send the record. Else it may lie in the log.
    return contains(failure, " not present in metadata after ")
        ? NOT_CONNECTED_IN_TIME
        : NOT_IN_TIME;
  }

  /** Reads the first word of an error of Redis, which is its code. */
  private static Verdict ofRedis(@Nullable String message) {
    if (message == null) {
      return Verdict.UNKNOWN;
    }
    int end = message.indexOf(' ');
    return switch (end < 0 ? message : message.substring(0, end)) {
      // Nothing of it was executed: it starts, runs a script, is a replica, or lost its cluster.
      case "LOADING", "BUSY", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS" ->
          NOT_TAKEN;
      default -> Verdict.UNKNOWN;
    };
  }

  private static Verdict ofLettuce(Throwable failure) {
    String message = failure.getMessage();
    if (message == null) {
      return Verdict.UNKNOWN;
    }
    if (message.startsWith("Currently not connected")) {
      return NOT_CONNECTED;
    }
    if (message.startsWith("Request queue size exceeded")) {
      return NO_CONNECTION_FREE;
    }
    return message.equals("Connection disconnected") ? BROKE : Verdict.UNKNOWN;
  }

  private static Verdict ofMongo(Throwable failure) {
    // The driver's word for a transaction that may be repeated as a whole, but for its commit.
    if (PublicValues.saysYes(failure, "hasErrorLabel", "TransientTransactionError")) {
      return UNDONE;
    }
    return PublicValues.saysYes(failure, "hasErrorLabel", "RetryableWriteError")
            || isMongoOfAnother(failure.getClass())
        ? PASSES
        : Verdict.UNKNOWN;
  }

  /** Returns true for the answers of a server that is no primary, or not yet or no longer ready. */
  private static boolean isMongoOfAnother(Class<?> type) {
    return type.getName().equals("com.mongodb.MongoNotPrimaryException")
        || type.getName().equals("com.mongodb.MongoNodeIsRecoveringException");
  }

  private static Verdict ofRabbit(Throwable failure) {
    if (Boolean.TRUE.equals(PublicValues.of(failure, "isInitiatedByApplication"))) {
      return CLOSED;
    }
    // An error of a channel is one of what was asked on it; one of a connection may be the
    // broker's.
    return Boolean.FALSE.equals(PublicValues.of(failure, "isHardError")) ? NOT_ACCEPTED : BROKE;
  }

  private static boolean says(Throwable failure, String message) {
    return message.equals(failure.getMessage());
  }

  private static boolean startsWith(Throwable failure, String beginning) {
    String message = failure.getMessage();
    return message != null && message.startsWith(beginning);
  }

  private static boolean contains(Throwable failure, String part) {
    String message = failure.getMessage();
    return message != null && message.contains(part);
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
