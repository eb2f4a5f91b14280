package dev.reprise.endpoints.kafka;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierVerdict;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.protocol.Errors;

/** The judgement of Kafka's exceptions. Takes any exception, and never throws. */
final class KafkaErrors {
  private static final int MAX_TEXT_CHARS = 200;

  private KafkaErrors() {}

  static CarrierVerdict verdict(Throwable error) {
    // The login, or what the account may do at all; an exception of settings is of ours.
    if (error instanceof AuthenticationException
        || error instanceof ClusterAuthorizationException
        || error instanceof ConfigException) {
      return CarrierVerdict.ACCOUNT;
    }
    // Of this topic, or of all: the next topics show which.
    if (error instanceof AuthorizationException) {
      return CarrierVerdict.SUSPECT;
    }
    if (error instanceof RecordTooLargeException
        || error instanceof RecordBatchTooLargeException
        || error instanceof InvalidRecordException
        || error instanceof InvalidTimestampException
        || error instanceof PolicyViolationException
        || error instanceof SerializationException) {
      return CarrierVerdict.MESSAGE;
    }
    if (error instanceof InvalidTopicException
        || error instanceof UnsupportedForMessageFormatException) {
      return CarrierVerdict.RECIPIENT;
    }
    if (error instanceof ThrottlingQuotaExceededException) {
      return CarrierVerdict.RECIPIENT_THROTTLED;
    }
    // It may be made later, or the broker may not know it yet.
    return error instanceof UnknownTopicOrPartitionException
        ? CarrierVerdict.RECIPIENT_FOR_NOW
        : CarrierVerdict.MOMENT;
  }

  /** Returns the failure of an attempt that is charged. */
  static CarrierFailure failure(Throwable error) {
    return error instanceof TimeoutException ? CarrierFailure.TIMEOUT : verdict(error).failure();
  }

  /** Returns whether perhaps the broker is gone. */
  static boolean isOfConnection(Throwable error) {
    return error instanceof NetworkException
        || error instanceof DisconnectException
        || error instanceof TimeoutException;
  }

  /** Returns the code of the protocol; 0 for an exception that has none. */
  static int code(Throwable error) {
    Errors known = Errors.forException(error);
    return known == Errors.UNKNOWN_SERVER_ERROR || known == Errors.NONE ? 0 : known.code();
  }

  /** Returns one line such as {@code 10 MESSAGE_TOO_LARGE: The message is 2 MB}. */
  static String line(Throwable error) {
    int code = code(error);
    String name =
        code == 0 ? error.getClass().getSimpleName() : code + " " + Errors.forException(error);
    String message = error.getMessage();
    return message == null || message.isBlank()
        ? name
        : name + ": " + HarmlessText.oneLine(message, MAX_TEXT_CHARS);
  }
}
