package dev.reprise.lab.meanfield;

/**
 * Detects that a fleet has reached a steady state. All devices are in classes that go round, and
 * for as long as their longest delay as many came in each step as in the others: who comes in a
 * step is an average of who came in the steps before it, no farther back than that delay, so as
 * many come in every step to follow. And none leaves: either none of them reaches the service, or
 * it is so deep in the debt of its refusals that it accepts none.
 *
 * <p>Devices without jitter never are that even, and are followed to the end.
 */
final class SteadyState {
  /** Steps are alike whose devices differ by no more than this part. */
  private static final double EVEN = 1e-5;

  private final RetryClass[] classes;
  private final double[] fewest;
  private final double[] most;
  private final long longest;
  private double savedAtStart;
  private long since;

  SteadyState(RetryClass[] classes) {
    this.classes = classes;
    this.fewest = new double[classes.length];
    this.most = new double[classes.length];
    long longest = 1;
    for (RetryClass each : classes) {
      longest = Math.max(longest, each.mostSteps());
    }
    this.longest = longest;
  }

  /** Looks anew from this step on. */
  void begin(long step) {
    since = step;
  }

  /**
   * Returns true when every step to follow is like the last one, as long as conditions are.
   *
   * @param step the last one
   * @param due how many came in it, of each class
   * @param leaves whether any device came back or gave up in it
   * @param unreachable whether no attempt reached the service
   * @param saved the tokens in the quota after it
   */
  boolean isReached(long step, double[] due, boolean leaves, boolean unreachable, double saved) {
    boolean accepts = !unreachable && (saved >= 0 || saved != savedAtStart);
    if (leaves || (accepts && step != since)) {
      begin(step + 1);
      return false;
    }
    if (step == since) {
      startAt(step, due, saved);
      return false;
    }
    for (int i = 0; i < due.length; i++) {
      fewest[i] = Math.min(fewest[i], due[i]);
      most[i] = Math.max(most[i], due[i]);
      if (most[i] - fewest[i] > EVEN * most[i]) {
        startAt(step, due, saved);
        return false;
      }
    }
    return step - since >= longest && onlyGoRound(step + 1);
  }

  private void startAt(long step, double[] due, double saved) {
    since = step;
    savedAtStart = saved;
    System.arraycopy(due, 0, fewest, 0, due.length);
    System.arraycopy(due, 0, most, 0, due.length);
  }

  private boolean onlyGoRound(long step) {
    for (RetryClass each : classes) {
      if (!each.goesRound() && !each.isEmpty(step)) {
        return false;
      }
    }
    return true;
  }
}
