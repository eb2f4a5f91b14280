package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.Refusal;
import dev.reprise.cli.base.Reprise;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.server.document.ReceiptDocument;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Publishes each line of the input, many in one request. A line that is no message, or that the
 * service refuses, is named with its number; the others go on.
 */
final class LinePublisher {
  /** Under the service's bounds of 1,000 lines and 16 MB, even with the longest lines. */
  private static final int MAX_LINES = 500;

  private static final int MAX_CHARACTERS = 4 << 20;

  /** A message may have 256 KB; the service names its own bound, this one guards the memory. */
  private static final int MAX_LINE_BYTES = 1 << 20;

  private static final int MAX_NAMED = 20;
  private static final int TRIES_WHEN_BUSY = 8;
  private static final Duration QUOTA_PAUSE = Duration.ofSeconds(1);
  private static final String QUOTA_EXCEEDED = "quota_exceeded";

  private final Terminal terminal;
  private final Reprise root;
  private final ApiClient client;
  private final String path;
  private final LineFormat format;
  private final Progress progress;
  private final Retry whileBusy =
      Retry.builder()
          .name("publish lines")
          .strategy(
              StandardRetryStrategy.builder()
                  .maxAttempts(TRIES_WHEN_BUSY)
                  // One process, with one request at a time.
                  .budget(RetryBudget.unlimited())
                  .build())
          .abortIf(failure -> !(failure instanceof CommandFailure.Busy))
          .listener(this::waits)
          .build();

  private final StringBuilder batch = new StringBuilder();
  private final List<Long> batchNumbers = new ArrayList<>();
  private long number;
  private long published;
  private long repeated;
  private long deliveries;
  private long failed;

  LinePublisher(Reprise root, String path, LineFormat format) {
    this.root = root;
    this.terminal = root.terminal();
    this.client = root.client();
    this.path = path;
    this.format = format;
    this.progress = new Progress(terminal);
  }

  int run() {
    // Not closed: the input is the process's.
    InputStream in = new BufferedInputStream(terminal.in(), 1 << 16);
    try {
      String line = nextLine(in);
      while (line != null) {
        add(line);
        // Input that is typed, or follows a log, must not wait for a full batch.
        if (batchNumbers.size() == MAX_LINES
            || batch.length() > MAX_CHARACTERS
            || in.available() == 0) {
          publish();
        }
        line = nextLine(in);
      }
      publish();
    } catch (IOException e) {
      throw CommandFailure.failed("the input cannot be read: " + e.getMessage() + "; " + soFar());
    } catch (CommandFailure e) {
      progress.clear();
      throw new CommandFailure(e.exitCode(), e.inOneLine() + "; " + soFar());
    }
    progress.clear();
    report();
    if (published == 0 && failed == 0) {
      // A script whose variable is empty must not take this for success.
      throw CommandFailure.failed("nothing was published: the input has no line with a message");
    }
    return failed == 0 ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void add(String line) {
    if (line.isBlank()) {
      return;
    }
    String message;
    try {
      message = format.format(line, number);
    } catch (CommandFailure e) {
      refuse(number, e.inOneLine());
      return;
    }
    batch.append(message).append('\n');
    batchNumbers.add(number);
  }

  /** Publishes the batch; lines for which the project's quota has no room go again, for a while. */
  private void publish() {
    int tries = 1;
    Pauses pauses = Pauses.of(Backoff.fixed(QUOTA_PAUSE));
    while (!batchNumbers.isEmpty()) {
      int before = batchNumbers.size();
      publishBatch(tries < TRIES_WHEN_BUSY);
      progress.show(soFar());
      if (!batchNumbers.isEmpty()) {
        tries = batchNumbers.size() < before ? 1 : tries + 1;
        progress.show(soFar() + "; a quota of the project is reached, waiting 1 s");
        if (!pauses.nextUnlessInterrupted()) {
          throw CommandFailure.failed("interrupted");
        }
      }
    }
  }

  /** Leaves the lines in the batch that shall go again: the service has taken nothing of them. */
  private void publishBatch(boolean again) {
    JsonNode items = send().path("items");
    String[] lines = batch.toString().split("\n", -1);
    List<Long> numbers = List.copyOf(batchNumbers);
    batch.setLength(0);
    batchNumbers.clear();
    for (int i = 0; i < numbers.size(); i++) {
      JsonNode item = items.path(i);
      if (item.has("messageId")) {
        ReceiptDocument receipt = Json.document(item, ReceiptDocument.class);
        published++;
        repeated += receipt.repeated() ? 1 : 0;
        deliveries += receipt.deliveries();
      } else if (again && item.at("/error/code").asString("").equals(QUOTA_EXCEEDED)) {
        batch.append(lines[i]).append('\n');
        batchNumbers.add(numbers.get(i));
      } else {
        refuse(numbers.get(i), Refusal.inOneLine(item.path("error")));
      }
    }
  }

  /** A service that is busy took nothing, and says when to ask again: so it is asked again. */
  private JsonNode send() {
    return whileBusy.call(() -> client.publishLines(path, batch.toString()));
  }

  private void waits(RetryEvent event) {
    if (event.kind() == RetryEvent.Kind.RETRY) {
      progress.show(soFar() + "; the service is busy, waiting " + AmountText.exact(event.delay()));
    }
  }

  private void refuse(long line, String why) {
    failed++;
    if (failed <= MAX_NAMED) {
      progress.clear();
      terminal.error("line " + line + ": " + HarmlessText.visible(why));
    } else if (failed == MAX_NAMED + 1) {
      terminal.error("more lines failed; they are only counted");
    }
  }

  private String soFar() {
    long last = batchNumbers.isEmpty() ? number : batchNumbers.get(0) - 1;
    return Words.count(published, "message")
        + " published, "
        + failed
        + " failed, up to line "
        + last;
  }

  private void report() {
    if (root.printedAsJson(
        Json.object()
            .put("lines", number)
            .put("published", published)
            .put("repeated", repeated)
            .put("deliveries", deliveries)
            .put("failed", failed))) {
      return;
    }
    terminal.line(
        Words.count(published, "message")
            + " published"
            + (repeated == 0 ? "" : ", " + repeated + " of them before")
            + ": "
            + Words.count(deliveries, "delivery")
            + (failed == 0 ? "" : "; " + Words.count(failed, "line") + " failed"));
  }

  /** Returns the next line that is text of a bearable length, or null at the end. */
  private @Nullable String nextLine(InputStream in) throws IOException {
    while (true) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      long length = 0;
      int b = in.read();
      if (b < 0) {
        return null;
      }
      number++;
      while (b >= 0 && b != '\n') {
        if (length++ < MAX_LINE_BYTES) {
          line.write(b);
        }
        b = in.read();
      }
      String text = InputFile.utf8(line.toByteArray());
      if (length > MAX_LINE_BYTES) {
        refuse(number, "has " + length + " bytes: must be at most " + MAX_LINE_BYTES);
      } else if (text == null) {
        refuse(number, "is not text in UTF-8");
      } else {
        return number == 1 && text.startsWith("\ufeff") ? text.substring(1) : text;
      }
    }
  }
}
