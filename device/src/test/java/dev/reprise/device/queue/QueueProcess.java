package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A process that uses a queue until it is killed. It prints what it was promised, and only then:
 * "+" and the sequence of a message that is synced, "-" and that of one whose removal is. Before it
 * removes one, it prints "?" and the sequence.
 */
final class QueueProcess {
  /** Small, so that files are filled, deleted and merged all the time. */
  static final SegmentLimits LIMITS = new SegmentLimits(4_096, 50, 8_192);

  private QueueProcess() {}

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    SeededRandom random = SeededRandom.of(Long.parseLong(args[1]));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    try (MessageQueue queue = open(folder)) {
      while (!out.checkError()) {
        turn(queue, random, out);
      }
    }
  }

  static MessageQueue open(Path folder) throws IOException {
    return MessageQueues.open(
        QueueSettings.defaults().withBounds(2_000, 1 << 20),
        new LocalDisk(),
        folder,
        LIMITS,
        InstantSource.system());
  }

  private static void turn(MessageQueue queue, SeededRandom random, PrintStream out)
      throws IOException {
    Deque<String> lines = new ArrayDeque<>();
    int offers = random.nextInt(20);
    for (int i = 0; i < offers; i++) {
      Message message = Message.builder().body(new byte[random.nextInt(200)]).build();
      if (queue.offer(message, System.nanoTime()) instanceof Admission.Accepted accepted) {
        lines.add("+" + accepted.sequence() + " " + message.id());
      }
    }
    queue.sync();
    print(lines, out);
    int sent = random.nextInt(20);
    for (int i = 0; i < sent; i++) {
      QueuedMessage next = queue.poll();
      if (next != null && random.nextInt(10) == 0) {
        queue.putBack(next.sequence());
      } else if (next != null && random.nextInt(20) > 0) {
        out.println("?" + next.sequence());
        queue.remove(next.sequence());
        lines.add("-" + next.sequence());
      }
    }
    out.flush();
    queue.sync();
    print(lines, out);
  }

  private static void print(Deque<String> lines, PrintStream out) {
    lines.forEach(out::println);
    lines.clear();
    out.flush();
  }
}
