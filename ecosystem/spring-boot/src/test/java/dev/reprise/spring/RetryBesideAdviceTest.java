package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.ScriptedOperation;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A retry beside other advice of Spring, on the threads of a real executor. */
class RetryBesideAdviceTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
          .withUserConfiguration(Transactions.class)
          .withPropertyValues(
              "reprise.retry.timed.attempt-timeout=1h",
              "reprise.retry.timed.backoff.type=none",
              "reprise.retry.plain.backoff.type=none")
          .withBean(Bank.class);

  @Test
  void aCallInsideTheSameBeanIsNotRetried() {
    runner.run(
        context -> {
          Bank bank = context.getBean(Bank.class);
          bank.script().failsAlways(ConnectException::new);

          assertThatThrownBy(bank::bookByThis).isInstanceOf(ConnectException.class);

          assertThat(bank.script().calls()).isEqualTo(1);
        });
  }

  @Test
  void withATimeLimitEachAttemptBeginsATransactionOnItsThread() {
    runner.run(
        context -> {
          Bank bank = context.getBean(Bank.class);
          bank.script().fails(1, ConnectException::new).succeeds("booked");

          assertThat(bank.bookInTime()).isEqualTo("booked");

          RecordingTransactions manager = context.getBean(RecordingTransactions.class);
          assertThat(manager.events).containsExactly("begin", "rollback", "begin", "commit");
          assertThat(bank.threads()).hasSize(2).doesNotContain(Thread.currentThread());
          assertThat(manager.begunBy).isEqualTo(bank.threads());
          assertThat(bank.active()).containsExactly(true, true);
        });
  }

  @Test
  void withoutATimeLimitTheTransactionIsOnTheCallersThread() {
    runner.run(
        context -> {
          Bank bank = context.getBean(Bank.class);
          bank.script().fails(1, ConnectException::new).succeeds("booked");

          assertThat(bank.book()).isEqualTo("booked");

          Thread caller = Thread.currentThread();
          RecordingTransactions manager = context.getBean(RecordingTransactions.class);
          assertThat(manager.events).containsExactly("begin", "rollback", "begin", "commit");
          assertThat(manager.begunBy).containsExactly(caller, caller);
          assertThat(bank.active()).containsExactly(true, true);
        });
  }

  @Test
  void aMethodOfNoInterfaceBehindAProxyOfThemFailsTheStart() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
        .withPropertyValues("reprise.retry.plain.backoff.type=none")
        .withBean(Import.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("@RetryWith of ")
                    .hasMessageContaining("Import.fetch(): must be a method of an interface"));
  }

  @Test
  void aClassBehindAProxyOfItsInterfacesMayHaveOtherMethods() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
        .withPropertyValues("reprise.retry.plain.backoff.type=none")
        .withBean(AnnotatedImport.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void theRetryIsOutsideOfAdviceOfAnyOrder() {
    runner
        .withUserConfiguration(Advice.class)
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              bank.script().fails(1, ConnectException::new).succeeds("booked");

              assertThat(bank.book()).isEqualTo("booked");

              assertThat(context.getBean(RecordingTransactions.class).events)
                  .containsExactly(
                      "first", "begin", "last", "rollback", "first", "begin", "last", "commit");
            });
  }

  /** Behind a proxy of {@code Runnable}, which nothing can call {@code fetch} of. */
  static class Import implements Runnable {
    @Override
    public void run() {
      fetch();
    }

    @RetryWith("plain")
    public void fetch() {}
  }

  @RetryWith("plain")
  static class AnnotatedImport implements Runnable {
    @Override
    public void run() {
      fetch();
    }

    public void fetch() {}
  }

  /**
   * Advice around that of transactions and inside of it; infrastructure, for only such advisors are
   * applied where no library for aspects is.
   */
  @Configuration(proxyBeanMethods = false)
  static class Advice {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor first(RecordingTransactions transactions) {
      return advisor("first", transactions, Ordered.HIGHEST_PRECEDENCE);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor last(RecordingTransactions transactions) {
      return advisor("last", transactions, Ordered.LOWEST_PRECEDENCE);
    }

    private static Advisor advisor(String name, RecordingTransactions transactions, int order) {
      NameMatchMethodPointcut booking = new NameMatchMethodPointcut();
      booking.setMappedName("book");
      MethodInterceptor recording =
          invocation -> {
            transactions.events.add(name);
            return invocation.proceed();
          };
      DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(booking, recording);
      advisor.setOrder(order);
      return advisor;
    }
  }

  static class Bank {
    private final ScriptedOperation<String> script = new ScriptedOperation<>();
    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    private final List<Boolean> active = Collections.synchronizedList(new ArrayList<>());

    /** Methods, for the proxy has no fields. */
    public ScriptedOperation<String> script() {
      return script;
    }

    public List<Thread> threads() {
      return threads;
    }

    public List<Boolean> active() {
      return active;
    }

    public String bookByThis() throws Exception {
      return book();
    }

    @RetryWith("plain")
    @Transactional(rollbackFor = Exception.class)
    public String book() throws Exception {
      return attempt();
    }

    @RetryWith("timed")
    @Transactional(rollbackFor = Exception.class)
    public String bookInTime() throws Exception {
      return attempt();
    }

    private String attempt() throws Exception {
      threads.add(Thread.currentThread());
      active.add(TransactionSynchronizationManager.isActualTransactionActive());
      return script.call();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = true, order = 0)
  static class Transactions {
    @Bean
    RecordingTransactions transactionManager() {
      return new RecordingTransactions();
    }
  }

  private static final class RecordingTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

    private final transient List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final transient List<Thread> begunBy = Collections.synchronizedList(new ArrayList<>());

    @Override
    protected Object doGetTransaction() {
      return new Object();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      events.add("begin");
      begunBy.add(Thread.currentThread());
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
}
