package dev.reprise.server.serve;

/**
 * Thrown when the service could not start; the message is for the operator. Nothing is left
 * running.
 */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Cause cause;

  /** The setting that is in the way. */
  public enum Cause {
    /** The address and port cannot be listened on. */
    ADDRESS,
    /** Another service has the data folder open. */
    DATA_IN_USE,
    /** Anything else: the message says what. */
    OTHER
  }

  StartException(String message) {
    super(message);
    this.cause = Cause.OTHER;
  }

  StartException(Cause cause, String message, Throwable thrown) {
    super(message, thrown);
    this.cause = cause;
  }

  /** Java has one error for a heap that is too small and for threads that the system refuses. */
  static StartException ofMemory(OutOfMemoryError error) {
    String message = String.valueOf(error.getMessage());
    return new StartException(
        Cause.OTHER,
        message.contains("native thread")
            ? "the system lets this process start no more threads: raise ulimit -u, pids.max of its"
                + " cgroup (a container's pids limit) or TasksMax of its unit"
            : "Java has too little memory to start (" + message + "): raise -Xmx",
        error);
  }

  /** Returns the setting to change for a start that succeeds. */
  public Cause cause() {
    return cause;
  }
}
