package dev.reprise.bench.retry.peer;

import com.google.common.util.concurrent.MoreExecutors;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.failsafe.RetryPolicyBuilder;
import dev.failsafe.function.CheckedSupplier;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/** Failsafe 3. */
final class FailsafeLoop {
  private FailsafeLoop() {}

  static Calls calls(PeerSetting setting) {
    FailsafeExecutor<Object> failsafe = Failsafe.with(policy(setting.maxAttempts).build());
    return operation -> {
      CheckedSupplier<Object> supplier = operation::call;
      return () -> failsafe.get(supplier);
    };
  }

  @SuppressWarnings("FutureReturnValueIgnored") // The caller gets it, as an object.
  static AsyncCalls asyncCalls(AsyncWork work, Duration delay) {
    // Without an executor, each attempt would be handed to another thread first; with one that is
    // no ExecutorService, a call whose first attempt fails ends at once, with null.
    ExecutorService caller = MoreExecutors.newDirectExecutorService();
    RetryPolicy<Object> policy =
        delay.isZero()
            ? policy(PeerSetting.DEFAULTS.maxAttempts).build()
            : policy(PeerSetting.DEFAULTS.maxAttempts).withDelay(delay).build();
    FailsafeExecutor<Object> failsafe = Failsafe.with(policy).with(caller);
    return () -> failsafe.getStageAsync(work::stage);
  }

  private static RetryPolicyBuilder<Object> policy(int maxAttempts) {
    return RetryPolicy.builder().handle(IOException.class).withMaxAttempts(maxAttempts);
  }
}
