package dev.reprise.examples;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;

/** Tests a retry of an hour in no time. */
public final class TestWithoutWaiting {
  private TestWithoutWaiting() {}

  /** Runs an operation that fails three times. */
  public static void main(String[] args) throws Exception {
    // @start region=test
    VirtualTime time = new VirtualTime();
    Backoff hours = Backoff.linear(Duration.ofHours(1), Duration.ofHours(1), Duration.ofDays(1));
    Retry retry = Retry.builder().backoff(hours).maxAttempts(4).time(time).build();
    var service = new ScriptedOperation<String>().fails(3, ConnectException::new).succeeds("hello");

    String answer = retry.call(service::call);

    System.out.println(answer + ", waited " + time.waits() + ", " + service.calls() + " calls");
    // @end
  }
}
