package dev.reprise.delivery.function;

/**
 * A function that messages are delivered to in the process of the service, found by {@link
 * java.util.ServiceLoader}. It is called at least once for each message, by several threads at the
 * same time.
 */
public interface DeliveryFunction {
  /** Returns the name by which subscriptions know it: 1 to 64 letters, digits and {@code - _ .}. */
  String name();

  /**
   * Takes a message. It is delivered when this returns.
   *
   * @throws Exception if it could not be taken: then it is retried as the subscription's policy
   *     says, unless the exception is a {@link dev.reprise.core.RetryInfo} that says otherwise. The
   *     thread is interrupted when the time of the attempt is up
   */
  void call(FunctionMessage message) throws Exception;
}
