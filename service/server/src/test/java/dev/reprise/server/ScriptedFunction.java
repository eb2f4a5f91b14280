package dev.reprise.server;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.function.DeliveryFunction;
import dev.reprise.delivery.function.FunctionMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A function of tests, which fails at the first attempt of each message. */
public final class ScriptedFunction implements DeliveryFunction {
  public static final List<FunctionMessage> CALLS = new CopyOnWriteArrayList<>();

  /** Whether it refuses every message for good. */
  public static volatile boolean refuses;

  /** A failure that no retry mends. */
  private static final class Refused extends RuntimeException implements RetryInfo {
    private static final long serialVersionUID = 1;

    Refused() {
      super("not mine");
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.NO;
    }
  }

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public void call(FunctionMessage message) {
    if (refuses) {
      throw new Refused();
    }
    CALLS.add(message);
    if (message.attempt() == 1) {
      throw new IllegalStateException("not yet");
    }
  }
}
