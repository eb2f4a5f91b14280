package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.retry.ContextCapture;
import dev.reprise.micrometer.MicrometerContext;
import dev.reprise.testkit.ScriptedOperation;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The caller's thread-locals are carried to attempts on others, or the log says that not. */
@ExtendWith(OutputCaptureExtension.class)
class CallersContextTest {
  private static final String KEY = "user-of-callers-context";
  private static final ThreadLocal<String> USER = new ThreadLocal<>();

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
          .withPropertyValues(
              "reprise.retry.timed.attempt-timeout=1h",
              "reprise.retry.timed.backoff.type=none",
              "reprise.retry.plain.backoff.type=none")
          .withBean(Client.class);

  /** For the whole class: a thread that still clears up after an attempt needs it to do so. */
  @BeforeAll
  static void register() {
    ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, USER);
  }

  @AfterAll
  static void unregister() {
    ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
  }

  @BeforeEach
  void signIn() {
    USER.set("ada");
  }

  @AfterEach
  void signOut() {
    USER.remove();
    TransactionSynchronizationManager.setActualTransactionActive(false);
  }

  @Test
  void attemptsWithATimeLimitHaveIt(CapturedOutput output) {
    runner.run(
        context -> {
          Client client = context.getBean(Client.class);
          client.failures().fails(1, ConnectException::new).succeeds("done");

          assertThat(client.timed()).isEqualTo("done");

          assertThat(client.seen()).containsExactly("ada", "ada");
          assertThat(output)
              .contains("the thread-locals that are registered so far")
              .contains(KEY)
              .doesNotContain("RetryCustomizer");
        });
  }

  @Test
  void laterAttemptsOfAStageHaveIt() {
    runner.run(
        context -> {
          Client client = context.getBean(Client.class);
          client.failures().fails(1, ConnectException::new).succeeds("done");

          assertThat(client.stage().get(300, TimeUnit.SECONDS)).isEqualTo("done");

          assertThat(client.seen()).containsExactly("ada", "ada");
        });
  }

  @Test
  void capturesOfTheApplicationAreJoined(CapturedOutput output) {
    List<String> captured = Collections.synchronizedList(new ArrayList<>());
    ContextCapture own =
        () -> {
          captured.add(USER.get());
          return Runnable::run;
        };
    runner
        .withBean("own", ContextCapture.class, () -> own)
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.failures().succeeds("done");
              client.timed();

              assertThat(captured).containsExactly("ada");
              assertThat(client.seen()).containsExactly("ada");
              assertThat(output).contains(own.getClass().getName());
            });
  }

  @Test
  void theLogNamesWhatIsRegisteredUntilTheStartIsDone(CapturedOutput output) {
    String later = "registered-after-the-retries";
    ContextRegistry registry = ContextRegistry.getInstance();
    runner
        .withBean(
            "later",
            ContextRegistry.class,
            () -> registry.registerThreadLocalAccessor(later, new ThreadLocal<String>()),
            bean -> bean.setDependsOn("retryRegistry"))
        .run(
            context -> {
              registry.removeThreadLocalAccessor(later);
              assertThat(output).contains(later);
            });
  }

  @Test
  void ofAnotherRegistryTheLogDoesNotNameTheGlobalOne(CapturedOutput output) {
    runner
        .withBean(
            MicrometerContext.class,
            () ->
                MicrometerContext.of(
                    ContextSnapshotFactory.builder()
                        .contextRegistry(new ContextRegistry())
                        .clearMissing(true)
                        .build()))
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.failures().succeeds("done");
              client.timed();

              assertThat(client.seen()).containsExactly((String) null);
              assertThat(output).contains("MicrometerContext").doesNotContain(KEY);
            });
  }

  @Test
  void theLogSaysThatACustomizerMayHaveChangedIt(CapturedOutput output) {
    runner
        .withBean(
            RetryCustomizer.class, () -> (name, builder) -> builder.context(() -> Runnable::run))
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.failures().succeeds("done");
              client.timed();

              assertThat(client.seen()).containsExactly((String) null);
              assertThat(output).contains("unless a RetryCustomizer sets a context");
            });
  }

  @Test
  void withoutTheLibrariesTheLogSaysThatNothingIsCarried(CapturedOutput output) {
    runner
        .withClassLoader(
            new FilteredClassLoader(MicrometerContext.class, ContextSnapshotFactory.class))
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.failures().succeeds("done");
              client.timed();

              assertThat(client.seen()).containsExactly((String) null);
              assertThat(output).contains("have nothing of its context").contains("ContextCapture");
            });
  }

  @Test
  void aCallThatLeavesATransactionIsWarnedOfOnce(CapturedOutput output) {
    runner.run(
        context -> {
          Client client = context.getBean(Client.class);
          client.failures().succeeds("done").succeeds("done").succeeds("done");
          TransactionSynchronizationManager.setActualTransactionActive(true);
          client.plain();
          assertThat(output).doesNotContain("within a transaction");

          client.timed();
          client.timed();

          assertThat(output.getOut().split("within a transaction", -1)).hasSize(2);
          assertThat(output).contains("reprise.retry.timed has attempt-timeout or hedging");
        });
  }

  @Test
  void ofAnAsyncMethodTheOutcomeIsRetriedOnItsExecutor() {
    runner
        .withUserConfiguration(Asynchronous.class)
        .withBean(AsyncClient.class)
        .run(
            context -> {
              AsyncClient client = context.getBean(AsyncClient.class);
              client.failures().fails(2, ConnectException::new).succeeds("done");

              assertThat(client.find().get(300, TimeUnit.SECONDS)).isEqualTo("done");

              assertThat(client.threads()).containsExactly("own", "own", "own");
            });
  }

  /** Public, for one test has another class loader. */
  public static class Client {
    private final ScriptedOperation<String> failures = new ScriptedOperation<>();
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    /** Methods, for the proxy has no fields. */
    public ScriptedOperation<String> failures() {
      return failures;
    }

    public List<String> seen() {
      return seen;
    }

    @RetryWith("timed")
    public String timed() throws Exception {
      seen.add(USER.get());
      return failures.call();
    }

    @RetryWith("plain")
    public String plain() throws Exception {
      return failures.call();
    }

    @RetryWith("plain")
    public CompletableFuture<String> stage() throws Exception {
      seen.add(USER.get());
      return CompletableFuture.completedFuture(failures.call());
    }
  }

  static class AsyncClient {
    private final ScriptedOperation<String> failures = new ScriptedOperation<>();
    private final List<String> threads = Collections.synchronizedList(new ArrayList<>());

    public ScriptedOperation<String> failures() {
      return failures;
    }

    public List<String> threads() {
      return threads;
    }

    @Async
    @RetryWith("plain")
    public CompletableFuture<String> find() throws Exception {
      threads.add(Thread.currentThread().getName());
      return CompletableFuture.completedFuture(failures.call());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync(proxyTargetClass = true)
  static class Asynchronous {
    @Bean
    Executor taskExecutor() {
      return task -> new Thread(task, "own").start();
    }
  }
}
