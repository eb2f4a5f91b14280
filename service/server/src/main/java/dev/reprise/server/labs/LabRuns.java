package dev.reprise.server.labs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.lab.Lab;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.report.Report;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.RequestFields;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Runs of scenarios that were asked for over the API: one at a time, on one thread of low priority.
 * The last few are kept in memory; a restart forgets them. Thread-safe.
 */
public final class LabRuns {
  /** Runs that are kept, the newest. */
  private static final int KEPT = 5;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final LabThread thread = new LabThread("reprise-lab");
  private final Deque<LabRun> kept = new ArrayDeque<>();
  private int lastNumber;

  /** The states of a run. */
  public enum State {
    WAITING,
    RUNNING,
    DONE,
    FAILED,
    CANCELLED
  }

  /** One run. Thread-safe. */
  public static final class LabRun {
    private final String id;
    private final Scenario scenario;
    private final Caller owner;
    private State state = State.WAITING;
    private int done;
    private @Nullable String reason;
    private List<String> findings = List.of();
    private byte @Nullable [] html;
    private byte @Nullable [] json;
    private LabThread.@Nullable Job job;

    LabRun(String id, Scenario scenario, Caller owner) {
      this.id = id;
      this.scenario = scenario;
      this.owner = owner;
    }

    public String id() {
      return id;
    }

    public Scenario scenario() {
      return scenario;
    }

    public synchronized State state() {
      return state;
    }

    /** Returns how many simulations have ended. */
    public synchronized int done() {
      return done;
    }

    /** Returns how many simulations there are. */
    public int all() {
      return scenario.policies().size() * scenario.runs();
    }

    /** Returns why there are no results, or null. */
    public synchronized @Nullable String reason() {
      return reason;
    }

    public synchronized List<String> findings() {
      return findings;
    }

    /** Returns the report as a page, or null when the run is not done. */
    public synchronized byte @Nullable [] html() {
      return html;
    }

    /** Returns the report as JSON, or null when the run is not done. */
    public synchronized byte @Nullable [] json() {
      return json;
    }

    /** Returns whether it exists for a caller: it does for its project, and for operators. */
    private boolean isOf(Caller caller) {
      return caller.isOperator() || Objects.equals(caller.project(), owner.project());
    }

    private synchronized boolean isOver() {
      return state != State.WAITING && state != State.RUNNING;
    }

    /** Returns false when it was cancelled before its turn came. */
    private synchronized boolean begin() {
      if (isOver()) {
        return false;
      }
      state = State.RUNNING;
      return true;
    }

    private synchronized void ran() {
      done++;
    }

    private synchronized void taken(LabThread.Job newJob) {
      job = newJob;
    }

    private synchronized void end(State last, @Nullable String why) {
      if (!isOver()) {
        state = last;
        reason = why;
      }
    }

    private void end(Report report) {
      byte[] page = report.html().getBytes(UTF_8);
      byte[] text = report.json().getBytes(UTF_8);
      synchronized (this) {
        html = page;
        json = text;
        findings = report.findings();
        end(State.DONE, null);
      }
    }

    /** Ends the run without results, if it is not over. */
    public void cancel() {
      LabThread.Job own;
      synchronized (this) {
        end(State.CANCELLED, "it was cancelled");
        own = job;
      }
      if (own != null) {
        own.cancel();
      }
    }

    private synchronized boolean isLate() {
      return job != null && job.isLate();
    }

    /** Runs all simulations on the caller's thread, until they end or it is interrupted. */
    void run() {
      if (!begin()) {
        return;
      }
      try {
        List<PolicyResult> results = new ArrayList<>();
        for (Map.Entry<String, Policy> policy : scenario.policies().entrySet()) {
          List<RunRecord> records = new ArrayList<>();
          for (int i = 0; i < scenario.runs(); i++) {
            if (Thread.currentThread().isInterrupted()) {
              throw new CancellationException("between two simulations");
            }
            records.add(Lab.runOnce(scenario.model(), policy.getValue(), scenario.seed() + i));
            ran();
          }
          results.add(new PolicyResult(policy.getKey(), policy.getValue(), records));
        }
        end(new Report(scenario, results, List.of(), null));
      } catch (CancellationException e) {
        end(
            State.FAILED,
            isLate()
                ? "it took more than " + LIMIT.toSeconds() + " s; ./reprise lab run has no bound"
                : "it was interrupted");
      } catch (IllegalArgumentException e) {
        end(State.FAILED, String.valueOf(e.getMessage()));
      } catch (OutOfMemoryError e) {
        end(State.FAILED, "it needs more memory than there is; ask for fewer devices");
      } finally {
        end(State.FAILED, "the lab made a mistake");
      }
    }
  }

  /**
   * Begins a run, or lets it wait until the one before it has ended.
   *
   * @throws ApiException 409 when one waits already
   */
  public synchronized LabRun begin(Scenario scenario, Caller owner) {
    LabRun run = new LabRun(String.valueOf(lastNumber + 1), scenario, owner);
    run.taken(thread.take(run::run, LIMIT));
    lastNumber++;
    kept.addFirst(run);
    // A run that goes on is among the newest two, so it is never dropped.
    if (kept.size() > KEPT) {
      kept.removeLast();
    }
    return run;
  }

  /** Returns the runs that are kept and exist for a caller, the newest first. */
  public synchronized List<LabRun> list(Caller caller) {
    return kept.stream().filter(run -> run.isOf(caller)).toList();
  }

  /**
   * Returns a run.
   *
   * @throws ApiException 404 when there is none of this id
   */
  public LabRun get(String id, Caller caller) {
    for (LabRun run : list(caller)) {
      if (run.id().equals(id)) {
        return run;
      }
    }
    throw new ApiException(
        ApiError.of(
            404,
            "not_found",
            "there is no run '"
                + RequestFields.shortened(id)
                + "'; the last "
                + KEPT
                + " are kept until the service restarts"));
  }
}
