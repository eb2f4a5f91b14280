package dev.reprise.server.http;

/** Something that goes on happening. */
public interface EventSource {
  /**
   * Begins to send events. Called once, on the event loop of the client, where it must not wait.
   */
  void start(Listening client);

  /** The client has gone before anything was sent. Called instead of {@link #start}. */
  default void drop() {}

  /** A client that receives events. Its methods may be called on any thread, and do not wait. */
  interface Listening {
    /** Sends it an event; does nothing for one that has gone. */
    void send(byte[] data);

    /** Ends its stream after what was sent. */
    void end();

    /** Returns true if it has gone, or is so slow that it was given up. */
    boolean gone();
  }
}
