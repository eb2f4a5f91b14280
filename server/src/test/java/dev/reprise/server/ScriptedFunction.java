package dev.reprise.server;

import dev.reprise.delivery.function.DeliveryFunction;
import dev.reprise.delivery.function.FunctionMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A function of tests, which fails at the first attempt of each message. */
public final class ScriptedFunction implements DeliveryFunction {
  public static final List<FunctionMessage> CALLS = new CopyOnWriteArrayList<>();

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public void call(FunctionMessage message) {
    CALLS.add(message);
    if (message.attempt() == 1) {
      throw new IllegalStateException("not yet");
    }
  }
}
