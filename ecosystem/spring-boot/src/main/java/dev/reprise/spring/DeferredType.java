package dev.reprise.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * A type whose work is done, and fails, after the method that returns it has returned: to a retry
 * around the method it looks like a success. Those of libraries are known by name, so that none of
 * them is needed.
 */
enum DeferredType {
  FUTURE("failures come", "return a CompletableFuture", "await it within the method"),
  MONO(
      "failures come",
      "apply RetryOperator of reprise-reactor to what it returns",
      "await it within the method"),
  COROUTINE(
      "failures come",
      "make the method a suspend fun that awaits it",
      "await it within the method"),
  FLOW(
      "failures come",
      "put @RetryWith on a suspend fun that fetches a part, or that returns a List",
      "collect it within the method, and return a List"),
  PUBLISHER(
      "failures come",
      "fetch each part as a Mono and apply RetryOperator of reprise-reactor to it",
      "collect it within the method, and return a List"),
  STREAM("elements are fetched", "return a List", "return a List"),
  ASYNC_REQUEST(
      "failures come",
      "put @RetryWith on the method of another bean that does the work, or return a"
          + " CompletableFuture",
      "return the result itself"),
  TASK(
      "work is done",
      "run it within the method, or put @RetryWith on a method that does the work",
      "run it within the method"),
  STAGE(
      "failures come",
      "declare that the method returns a CompletableFuture",
      "await it within the method");

  private static final Map<String, DeferredType> NAMED = new HashMap<>();

  static {
    put(
        FUTURE,
        Future.class.getName(),
        "io.vertx.core.Future",
        "scala.concurrent.Future",
        "io.vavr.concurrent.Future");
    put(MONO, "reactor.core.publisher.Mono");
    put(COROUTINE, "kotlinx.coroutines.Job");
    put(
        FLOW,
        "kotlinx.coroutines.flow.Flow",
        "kotlinx.coroutines.channels.ReceiveChannel",
        "kotlinx.coroutines.channels.SendChannel");
    put(
        PUBLISHER,
        Flow.Publisher.class.getName(),
        "org.reactivestreams.Publisher",
        "io.reactivex.rxjava3.core.SingleSource",
        "io.reactivex.rxjava3.core.MaybeSource",
        "io.reactivex.rxjava3.core.CompletableSource",
        "io.reactivex.rxjava3.core.ObservableSource",
        "io.reactivex.SingleSource",
        "io.reactivex.MaybeSource",
        "io.reactivex.CompletableSource",
        "io.reactivex.ObservableSource",
        "rx.Observable",
        "rx.Single",
        "rx.Completable",
        "io.smallrye.mutiny.Uni",
        "io.smallrye.mutiny.Multi");
    put(STREAM, BaseStream.class.getName(), "kotlin.sequences.Sequence");
    put(
        ASYNC_REQUEST,
        "org.springframework.web.context.request.async.DeferredResult",
        "org.springframework.web.context.request.async.WebAsyncTask",
        "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
        "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");
    put(TASK, "okhttp3.Call", "retrofit2.Call", "kotlin.Lazy");
  }

  private static void put(DeferredType deferred, String... names) {
    for (String name : names) {
      NAMED.put(name, deferred);
    }
  }

  /** Kept for each class, since each result is asked for. */
  private static final ClassValue<Answer> ANSWERS =
      new ClassValue<>() {
        @Override
        protected Answer computeValue(Class<?> type) {
          return new Answer(find(type));
        }
      };

  private record Answer(@Nullable DeferredType deferred) {}

  private final String subject;
  private final String instead;
  private final String insteadInSuspendFun;

  DeferredType(String subject, String instead, String insteadInSuspendFun) {
    this.subject = subject;
    this.instead = instead;
    this.insteadInSuspendFun = insteadInSuspendFun;
  }

  /** Returns the type's kind, or null when what has this type is there once it is returned. */
  static @Nullable DeferredType ofDeclared(Class<?> type) {
    // Only these themselves: a type of the application that extends one is a thing of its own.
    return type == Callable.class || type == Supplier.class ? TASK : ANSWERS.get(type).deferred();
  }

  /** Returns the same for what was returned, where the declared type does not tell. */
  static @Nullable DeferredType ofReturned(Object value, Class<?> declared) {
    DeferredType deferred = ANSWERS.get(value.getClass()).deferred();
    // Spring MVC too runs a Callable that is declared as an Object.
    return deferred == null && declared == Object.class && value instanceof Callable<?>
        ? TASK
        : deferred;
  }

  /** Returns why a method must not return the type, and what to do instead. */
  String reason(boolean isSuspendFun) {
    return "whose "
        + subject
        + " after the method has returned; "
        + (isSuspendFun ? insteadInSuspendFun : instead);
  }

  private static @Nullable DeferredType find(Class<?> type) {
    if (CompletionStage.class.isAssignableFrom(type)) {
      return STAGE;
    }
    DeferredType named = named(type);
    // Spring may have been taught further types.
    return named == null && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
        ? PUBLISHER
        : named;
  }

  /** Looks for the class, then what it extends: a Mono is a Mono first, and then a Publisher. */
  private static @Nullable DeferredType named(@Nullable Class<?> type) {
    if (type == null) {
      return null;
    }
    DeferredType named = NAMED.get(type.getName());
    if (named == null) {
      named = named(type.getSuperclass());
    }
    Class<?>[] interfaces = type.getInterfaces();
    for (int i = 0; named == null && i < interfaces.length; i++) {
      named = named(interfaces[i]);
    }
    return named;
  }
}
