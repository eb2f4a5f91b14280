package dev.reprise.delivery.http;

import dev.reprise.delivery.address.Cidr;
import dev.reprise.delivery.address.NameLookup;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A name server that answers from a script: each look-up of a name takes its next answer. */
public final class ScriptedLookup implements NameLookup {
  private final Map<String, Queue<Answer>> script = new HashMap<>();
  private final List<String> lookups = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean holding;

  public synchronized ScriptedLookup answer(String host, long ttlSeconds, String... addresses) {
    List<InetAddress> all = Arrays.stream(addresses).map(ScriptedLookup::ip).toList();
    add(host, Answer.of(all, TimeUnit.SECONDS.toNanos(ttlSeconds)));
    return this;
  }

  public synchronized ScriptedLookup fail(String host, long ttlSeconds, String failure) {
    add(host, Answer.failed(failure, TimeUnit.SECONDS.toNanos(ttlSeconds)));
    return this;
  }

  private void add(String host, Answer answer) {
    script.computeIfAbsent(host, name -> new ArrayDeque<>()).add(answer);
  }

  /** From now on answers wait for {@link #release}. */
  public synchronized ScriptedLookup hold() {
    holding = true;
    return this;
  }

  public void release() {
    List<Runnable> now;
    synchronized (this) {
      holding = false;
      now = List.copyOf(held);
      held.clear();
    }
    now.forEach(Runnable::run);
  }

  public synchronized List<String> lookups() {
    return List.copyOf(lookups);
  }

  @Override
  public void lookUp(String host, Consumer<Answer> done) {
    Answer answer;
    synchronized (this) {
      lookups.add(host);
      Queue<Answer> answers = script.getOrDefault(host, new ArrayDeque<>());
      answer = answers.isEmpty() ? Answer.failed("not in the script", 0) : answers.remove();
      if (holding) {
        held.add(() -> done.accept(answer));
        return;
      }
    }
    done.accept(answer);
  }

  @Override
  public void close() {}

  private static InetAddress ip(String text) {
    try {
      return InetAddress.getByAddress(Cidr.bytesOf(text));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
