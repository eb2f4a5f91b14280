package dev.reprise.bench.retry.peer;

import java.io.IOException;
import java.util.Map;
import org.springframework.retry.RetryCallback;
import org.springframework.retry.backoff.NoBackOffPolicy;
import org.springframework.retry.policy.SimpleRetryPolicy;
import org.springframework.retry.support.RetryTemplate;

/** Spring Retry 2. */
final class SpringRetryLoop {
  private SpringRetryLoop() {}

  static Calls calls(PeerSetting setting) {
    // What its builder makes is slower: a policy of two policies, each with a context of its own.
    RetryTemplate template = new RetryTemplate();
    template.setRetryPolicy(
        new SimpleRetryPolicy(setting.maxAttempts, Map.of(IOException.class, true)));
    template.setBackOffPolicy(new NoBackOffPolicy());
    return operation -> {
      RetryCallback<Object, Exception> callback = context -> operation.call();
      return () -> template.execute(callback);
    };
  }
}
