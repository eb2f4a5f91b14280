package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class RetryWithTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
          .withUserConfiguration(OnVirtualTime.class)
          .withPropertyValues("reprise.retry.search.max-attempts=3");

  @ParameterizedTest
  @ValueSource(classes = {Hidden.class, Final.class, WithOneFinal.class})
  void aMethodThatNoProxyCanBeAroundFailsTheStart(Class<?> type) {
    runner
        .withBean(type)
        .run(
            context -> {
              assertThat(context).hasFailed();
              assertThat(context.getStartupFailure())
                  .rootCause()
                  .hasMessageStartingWith("@RetryWith of ")
                  .hasMessageMatching(
                      ".*: must not be (private|final), for then no proxy is around it.*");
            });
  }

  @Test
  void aMethodIsTriedAgain() {
    runner
        .withBean(Client.class)
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.script().fails(2, ConnectException::new).succeeds("found");
              assertThat(client.find()).isEqualTo("found");
              assertThat(context.getBean(VirtualTime.class).waits()).hasSize(2);
            });
  }

  @Test
  void theCallerGetsTheMethodsOwnLastFailure() {
    runner
        .withBean(Client.class)
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.script().failsAlways(() -> new ConnectException("refused"));
              assertThatThrownBy(client::find)
                  .isExactlyInstanceOf(ConnectException.class)
                  .hasMessage("refused");
              assertThat(client.script().calls()).isEqualTo(3);
            });
  }

  @Test
  void aMethodWithoutTheAnnotationIsLeftAlone() {
    runner
        .withBean(Client.class)
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.script().failsAlways(ConnectException::new);
              assertThatThrownBy(client::findOnce).isInstanceOf(ConnectException.class);
              assertThat(client.script().calls()).isEqualTo(1);
            });
  }

  @Test
  void theAnnotationOfAClassHoldsForItsMethods() {
    runner
        .withBean(AnnotatedClient.class)
        .run(
            context -> {
              AnnotatedClient client = context.getBean(AnnotatedClient.class);
              client.script().fails(1, ConnectException::new).succeeds("found");
              assertThat(client.find()).isEqualTo("found");
              assertThat(client.script().calls()).isEqualTo(2);
            });
  }

  @Test
  void theAnnotationHoldsBehindAProxyOfTheInterface() {
    runner
        .withBean(FinderClient.class)
        .run(
            context -> {
              Finder finder = context.getBean(Finder.class);
              assertThat(Proxy.isProxyClass(finder.getClass())).isTrue();
              finder.script().fails(2, ConnectException::new).succeeds("found");
              assertThat(finder.find()).isEqualTo("found");
              assertThat(finder.script().calls()).isEqualTo(3);
            });
  }

  @Test
  void aLazyBeanIsCheckedWhenItIsMade() {
    runner
        .withBean("misspelt", Misspelt.class, Misspelt::new, bean -> bean.setLazyInit(true))
        .withBean("reactive", Reactive.class, Reactive::new, bean -> bean.setScope("prototype"))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> context.getBean("misspelt"))
                    .hasStackTraceContaining("must be one of [search]");
                assertThatThrownBy(() -> context.getBean("reactive"))
                    .hasStackTraceContaining("must not return Publisher");
              }
            });
  }

  @Test
  void noThreadWaitsForAMethodThatReturnsAStage() {
    runner
        .withBean(Client.class)
        .run(
            context -> {
              Client client = context.getBean(Client.class);
              client.script().fails(2, ConnectException::new).succeeds("found");
              CompletableFuture<String> found = client.findLater().toCompletableFuture();
              assertThat(found).isNotDone();
              context.getBean(VirtualTime.class).runUntilIdle(100);
              assertThat(found).isCompletedWithValue("found");
            });
  }

  @Test
  void anUnknownNameFailsTheStart() {
    runner
        .withBean(Misspelt.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("Misspelt.find()")
                    .hasMessageContaining("retry is \"serach\": must be one of [search]"));
  }

  @Test
  void aReactiveMethodFailsTheStart() {
    runner
        .withBean(Reactive.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("Reactive.find()")
                    .hasMessageContaining("must not return Publisher"));
  }

  @Test
  void aStageThatTheRetryCannotReturnFailsTheStart() {
    runner
        .withBean(OwnStage.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("must return CompletionStage or CompletableFuture"));
  }

  @Test
  void everyAttemptHasATransactionOfItsOwn() {
    runner
        .withUserConfiguration(Transactions.class)
        .withBean(Bank.class)
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              bank.script().fails(1, ConnectException::new).succeeds("booked");
              assertThat(bank.book()).isEqualTo("booked");
              assertThat(context.getBean(RecordingTransactions.class).events)
                  .containsExactly("begin", "rollback", "begin", "commit");
            });
  }

  @Test
  void springsOwnAnnotationRetriesOnlyWhatIsClassified() {
    runner
        .withUserConfiguration(Resilient.class)
        .withBean(SpringClient.class)
        .run(
            context -> {
              SpringClient client = context.getBean(SpringClient.class);
              client.script().fails(1, ConnectException::new).succeeds("found");
              assertThat(client.find()).isEqualTo("found");
              client.script().failsAlways(IllegalStateException::new);
              assertThatThrownBy(client::find).isInstanceOf(IllegalStateException.class);
              assertThat(client.script().calls()).isEqualTo(3);
            });
  }

  static class Client {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();

    /** A method, for the proxy has no fields. */
    public ScriptedOperation<String> script() {
      return script;
    }

    @RetryWith("search")
    public String find() throws Exception {
      return script.call();
    }

    public String findOnce() throws Exception {
      return script.call();
    }

    @RetryWith("search")
    public CompletionStage<String> findLater() {
      try {
        return CompletableFuture.completedFuture(script.call());
      } catch (Exception e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  @RetryWith("search")
  static class AnnotatedClient {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();

    /** A method, for the proxy has no fields. */
    public ScriptedOperation<String> script() {
      return script;
    }

    public String find() throws Exception {
      return script.call();
    }
  }

  interface Finder {
    ScriptedOperation<String> script();

    String find() throws Exception;
  }

  static class FinderClient implements Finder {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();

    @Override
    public ScriptedOperation<String> script() {
      return script;
    }

    @Override
    @RetryWith("search")
    public String find() throws Exception {
      return script.call();
    }
  }

  static class Hidden {
    @RetryWith("search")
    @SuppressWarnings("UnusedMethod") // That is the mistake.
    private String find() {
      return "";
    }
  }

  static class Final {
    @RetryWith("search")
    public final String find() {
      return "";
    }
  }

  @RetryWith("search")
  static class WithOneFinal {
    public String find() {
      return "";
    }

    public final String look() {
      return "";
    }
  }

  static class Misspelt {
    @RetryWith("serach")
    public String find() throws IOException {
      throw new IOException("never called");
    }
  }

  static class Reactive {
    @RetryWith("search")
    public Flow.Publisher<String> find() {
      return subscriber -> {};
    }
  }

  static class OwnStage {
    static final class Special extends CompletableFuture<String> {}

    @RetryWith("search")
    public Special find() {
      return new Special();
    }
  }

  static class Bank {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();

    public ScriptedOperation<String> script() {
      return script;
    }

    @RetryWith("search")
    @Transactional(rollbackFor = Exception.class)
    public String book() throws Exception {
      return script.call();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = true)
  static class Transactions {
    @Bean
    RecordingTransactions transactionManager() {
      return new RecordingTransactions();
    }
  }

  private static final class RecordingTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

    private final transient List<String> events = new ArrayList<>();

    @Override
    protected Object doGetTransaction() {
      return new Object();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      events.add("begin");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      events.add("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
      events.add("rollback");
    }
  }

  static class SpringClient {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();

    /** A method, for the proxy has no fields. */
    public ScriptedOperation<String> script() {
      return script;
    }

    @Retryable(predicate = ClassifiedFailures.class, delay = 0)
    public String find() throws Exception {
      return script.call();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableResilientMethods
  static class Resilient {}

  @Configuration(proxyBeanMethods = false)
  static class OnVirtualTime {
    @Bean
    VirtualTime time() {
      return new VirtualTime();
    }

    @Bean
    RetryCustomizer onVirtualTime(VirtualTime time) {
      return (name, builder) -> builder.time(time).executor(time.executor());
    }
  }
}
