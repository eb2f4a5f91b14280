package dev.reprise.bench.retry.peer;

import com.github.rholder.retry.Retryer;
import com.github.rholder.retry.RetryerBuilder;
import com.github.rholder.retry.StopStrategies;
import java.io.IOException;

/** guava-retrying, unmaintained since 2016 and still in many programs. */
final class GuavaRetryingLoop {
  private GuavaRetryingLoop() {}

  static Calls calls(PeerSetting setting) {
    Retryer<Object> retryer =
        RetryerBuilder.newBuilder()
            .retryIfExceptionOfType(IOException.class)
            .withStopStrategy(StopStrategies.stopAfterAttempt(setting.maxAttempts))
            .build();
    return operation -> () -> retryer.call(operation);
  }
}
