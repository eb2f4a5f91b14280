package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods whose result is not there yet when they return: tried again, or refused; no success. */
class RetryWithTypesTest {
  private final VirtualTime time = new VirtualTime();
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration.class))
          .withBean(
              RetryCustomizer.class,
              () -> (name, builder) -> builder.time(time).executor(time.executor()))
          .withPropertyValues("reprise.retry.search.max-attempts=3");

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(OfFuture.class, "must not return Future, ", "return a CompletableFuture"),
        Arguments.of(OfOwnFuture.class, "must not return OwnFuture, ", "CompletableFuture"),
        Arguments.of(OfTask.class, "must not return FutureTask, ", "return a CompletableFuture"),
        Arguments.of(OfStageOfFuture.class, "must not return a stage of ", "CompletableFuture"),
        Arguments.of(OfMono.class, "must not return Mono, ", "apply RetryOperator"),
        Arguments.of(OfFlux.class, "must not return Flux, ", "each part as a Mono"),
        Arguments.of(OfFlow.class, "must not return Publisher, ", "each part as a Mono"),
        Arguments.of(OfStream.class, "must not return Stream, ", "return a List"),
        Arguments.of(OfIntStream.class, "must not return IntStream, ", "return a List"),
        Arguments.of(OfCallable.class, "must not return Callable, ", "within the method"),
        Arguments.of(OfSupplier.class, "must not return Supplier, ", "within the method"),
        Arguments.of(OfDeferred.class, "must not return DeferredResult, ", "another bean"),
        Arguments.of(OfWebTask.class, "must not return WebAsyncTask, ", "another bean"),
        Arguments.of(OfEvents.class, "must not return SseEmitter, ", "another bean"),
        Arguments.of(OfBody.class, "must not return StreamingResponseBody, ", "another bean"),
        Arguments.of(
            OfInherited.class,
            "must not return java.util.concurrent.Future, ",
            "of bean class " + OfInherited.class.getName()),
        Arguments.of(OfClass.class, "must not return Stream, ", "instead of the class"),
        Arguments.of(OfInterface.class, "must not return Future, ", "CompletableFuture"),
        Arguments.of(OfSecondMethod.class, "must not return Stream, ", "return a List"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void aResultThatIsNotThereYetFailsTheStart(Class<?> type, String rule, String wayRound) {
    runner
        .withBean(type)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("@RetryWith of ")
                    .hasMessageContaining(type.getName())
                    .hasMessageContaining(rule)
                    .hasMessageContaining(wayRound));
  }

  static Stream<Object> tooWide() {
    return Stream.of(
        new CompletableFuture<>(),
        new FutureTask<>(() -> "late"),
        (Flow.Publisher<String>) subscriber -> {},
        Flux.empty(),
        (Callable<String>) () -> "late");
  }

  @ParameterizedTest
  @MethodSource("tooWide")
  void aResultOfAnyTypeIsJudgedWhenItIsReturned(Object value) {
    runner
        .withBean(OfObject.class)
        .run(
            context -> {
              OfObject bean = context.getBean(OfObject.class);
              bean.script().succeeds(value).succeeds("found");
              assertThatThrownBy(bean::find)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("Base.find()")
                  .hasMessageContaining("OfObject: ")
                  .hasMessageContaining("has returned a " + value.getClass().getName());
              assertThat(bean.script().calls()).isEqualTo(1);
              assertThat(bean.find()).isEqualTo("found");
            });
  }

  @Test
  void aStreamThatNobodyGetsIsClosed() {
    runner
        .withBean(OfObject.class)
        .run(
            context -> {
              AtomicBoolean closed = new AtomicBoolean();
              OfObject bean = context.getBean(OfObject.class);
              bean.script().succeeds(Stream.of("a").onClose(() -> closed.set(true)));
              assertThatThrownBy(bean::find).isInstanceOf(IllegalStateException.class);
              assertThat(closed).isTrue();
            });
  }

  @Test
  void anInheritedMethodOfAStageIsTriedAgain() {
    runner
        .withBean(OfInheritedStage.class)
        .run(
            context -> {
              OfInheritedStage bean = context.getBean(OfInheritedStage.class);
              fail(bean.script(), 2);
              assertThat(whenIdle(bean.find())).isCompletedWithValue("found");
            });
  }

  @Test
  void aStageBehindAProxyOfAGenericInterfaceIsTriedAgain() {
    runner
        .withBean("finder", StageFinder.class)
        .run(
            context -> {
              @SuppressWarnings("unchecked")
              Finder<CompletableFuture<String>> finder = context.getBean(Finder.class);
              assertThat(Proxy.isProxyClass(finder.getClass())).isTrue();
              fail(finder.script(), 2);
              assertThat(whenIdle(finder.find())).isCompletedWithValue("found");
            });
  }

  @Test
  void aClassIsNotRefusedForWhatNoProxyIsCalledWith() {
    runner
        .withBean(WithHelpers.class)
        .run(
            context -> {
              WithHelpers bean = context.getBean(WithHelpers.class);
              fail(bean.script(), 2);
              assertThat(whenIdle(bean.find())).isCompletedWithValue("found");
            });
  }

  @Test
  void anAsyncMethodWithoutAStageFailsTheStart() {
    runner
        .withBean(OfAsync.class)
        .withUserConfiguration(Asynchronous.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("OfAsync.send(): is @Async and returns void: ")
                    .hasMessageContaining("return a CompletableFuture"));
    // Nothing makes it asynchronous.
    runner.withBean(OfAsync.class).run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aSuspendFunIsRefusedWithoutWhatSpringNeeds() throws Exception {
    RetriedMethod method =
        RetryWithPointcut.find(
            Suspending.class.getMethod("find", Continuation.class), Suspending.class);
    assertThat(method.refusal(false, true, true)).isNull();
    assertThat(method.refusal(false, false, true))
        .contains("is a suspend fun", "org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
    assertThat(method.refusal(false, true, false))
        .contains("is a suspend fun", "org.jetbrains.kotlin:kotlin-reflect");
  }

  private static void fail(ScriptedOperation<CompletableFuture<String>> script, int times) {
    for (int i = 0; i < times; i++) {
      script.succeeds(CompletableFuture.failedFuture(new ConnectException()));
    }
    script.succeeds(CompletableFuture.completedFuture("found"));
  }

  private CompletableFuture<String> whenIdle(CompletableFuture<String> found) {
    assertThat(found).isNotDone();
    time.runUntilIdle(100);
    return found;
  }

  interface OwnFuture<T> extends Future<T> {}

  static class OfFuture {
    @RetryWith("search")
    public @Nullable Future<String> find() {
      return null;
    }
  }

  static class OfOwnFuture {
    @RetryWith("search")
    public @Nullable OwnFuture<String> find() {
      return null;
    }
  }

  static class OfTask {
    @RetryWith("search")
    public @Nullable FutureTask<String> find() {
      return null;
    }
  }

  static class OfStageOfFuture {
    @RetryWith("search")
    public @Nullable CompletionStage<Future<String>> find() {
      return null;
    }
  }

  static class OfMono {
    @RetryWith("search")
    public Mono<String> find() {
      return Mono.empty();
    }
  }

  static class OfFlux {
    @RetryWith("search")
    public Flux<String> find() {
      return Flux.empty();
    }
  }

  static class OfFlow {
    @RetryWith("search")
    public Flow.@Nullable Publisher<String> find() {
      return null;
    }
  }

  static class OfStream {
    @RetryWith("search")
    public Stream<String> find() {
      return Stream.of();
    }
  }

  static class OfIntStream {
    @RetryWith("search")
    public IntStream find() {
      return IntStream.of();
    }
  }

  static class OfCallable {
    @RetryWith("search")
    public Callable<String> find() {
      return () -> "late";
    }
  }

  static class OfSupplier {
    @RetryWith("search")
    public Supplier<String> find() {
      return () -> "late";
    }
  }

  static class OfDeferred {
    @RetryWith("search")
    public DeferredResult<String> find() {
      return new DeferredResult<>();
    }
  }

  static class OfWebTask {
    @RetryWith("search")
    public WebAsyncTask<String> find() {
      return new WebAsyncTask<>(() -> "late");
    }
  }

  static class OfEvents {
    @RetryWith("search")
    public SseEmitter find() {
      return new SseEmitter();
    }
  }

  static class OfBody {
    @RetryWith("search")
    public StreamingResponseBody find() {
      return out -> {};
    }
  }

  static class Base<T> {
    private final ScriptedOperation<T> script = new ScriptedOperation<>();

    /** A method, for the proxy has no fields. */
    public ScriptedOperation<T> script() {
      return script;
    }

    @RetryWith("search")
    public T find() throws Exception {
      return script.call();
    }
  }

  static class OfObject extends Base<Object> {}

  static class OfInherited extends Base<Future<String>> {}

  static class OfInheritedStage extends Base<CompletableFuture<String>> {}

  @RetryWith("search")
  static class OfClass {
    public String find() {
      return "";
    }

    public Stream<String> findAll() {
      return Stream.of();
    }
  }

  interface LateFinder {
    String find();

    @RetryWith("search")
    Future<String> findLater();
  }

  static class OfInterface implements LateFinder {
    @Override
    public String find() {
      return "";
    }

    @Override
    public Future<String> findLater() {
      return CompletableFuture.completedFuture("");
    }
  }

  interface AllFinder {
    String find();

    Stream<String> findAll();
  }

  static class OfSecondMethod implements AllFinder {
    @Override
    @RetryWith("search")
    public String find() {
      return "";
    }

    @Override
    @RetryWith("search")
    public Stream<String> findAll() {
      return Stream.of();
    }
  }

  interface Finder<T> {
    ScriptedOperation<T> script();

    T find() throws Exception;
  }

  static class StageFinder implements Finder<CompletableFuture<String>> {
    private final ScriptedOperation<CompletableFuture<String>> script = new ScriptedOperation<>();

    @Override
    public ScriptedOperation<CompletableFuture<String>> script() {
      return script;
    }

    @Override
    @RetryWith("search")
    public CompletableFuture<String> find() throws Exception {
      return script.call();
    }
  }

  /** What it extends is generic, so it has a bridge; it has lambdas, helpers, and is a value. */
  @RetryWith("search")
  static class WithHelpers extends Base<CompletableFuture<String>> {
    @Override
    public CompletableFuture<String> find() throws Exception {
      Supplier<Stream<String>> words = () -> Stream.of("found");
      Callable<Future<String>> late = () -> late(words.get());
      return late.call().isDone() ? super.find() : new CompletableFuture<>();
    }

    private Future<String> late(Stream<String> words) {
      return CompletableFuture.completedFuture(words.findFirst().orElseThrow());
    }

    public static Stream<String> words() {
      return Stream.of();
    }

    @Override
    public final boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public final int hashCode() {
      return 1;
    }

    @Override
    public final String toString() {
      return "helpers";
    }
  }

  static class OfAsync {
    @Async
    @RetryWith("search")
    public void send() {}
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  static class Asynchronous {}

  static class Suspending {
    @RetryWith("search")
    public Object find(Continuation<? super String> continuation) {
      return continuation;
    }
  }
}
