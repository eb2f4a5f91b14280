package dev.reprise.delivery.shard;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes one answer, and complains if it comes twice or before what it speaks of is durable. */
final class SimulatedReply<T> implements Reply<T> {
  /** An answer of which only some is foreseen. */
  interface Expectation {
    void check(Object answer);
  }

  private final BooleanSupplier durable;
  private final Consumer<T> then;
  private final Runnable otherwise;
  private @Nullable T answer;
  private @Nullable Throwable error;

  /** What the model expects: an answer, a predicate of it, or the class of an error. */
  @Nullable Object expected;

  SimulatedReply(BooleanSupplier durable, Consumer<T> then) {
    this(durable, then, () -> {});
  }

  SimulatedReply(BooleanSupplier durable, Consumer<T> then, Runnable otherwise) {
    this.durable = durable;
    this.then = then;
    this.otherwise = otherwise;
  }

  @Override
  public void complete(T answer) {
    once();
    if (!durable.getAsBoolean()) {
      throw new AssertionError("answer " + answer + " before the write was durable");
    }
    this.answer = answer;
    then.accept(answer);
  }

  @Override
  public void fail(Throwable error) {
    once();
    this.error = error;
    otherwise.run();
  }

  private void once() {
    if (answer != null || error != null) {
      throw new AssertionError("answered twice: " + answer + ", " + error);
    }
  }

  /** Whether the answer is the expected one; no answer is not. */
  void check() {
    Object got = error == null ? answer : error.getClass();
    if (got != null && expected instanceof Expectation expectation) {
      expectation.check(got);
      return;
    }
    if (expected == null || !expected.equals(got)) {
      throw new AssertionError("answer is " + got + ", expected " + expected);
    }
  }
}
