package dev.reprise.delivery.http;

import io.netty.buffer.ByteBuf;

/**
 * The way of one request and its response over a connection. Everything happens on the event loop
 * of the connection's lane.
 */
interface RequestStream {
  /**
   * The most interim responses (status 100 to 199) to one request that are read over; more of them
   * are a failure. Their bytes are bounded by {@link PooledConnection}.
   */
  int MAX_INTERIM_RESPONSES = 100;

  /** The progress of an exchange until it broke. */
  enum Progress {
    /** The endpoint says that it has not begun to process the request, or it never got it. */
    UNPROCESSED,

    /** The connection was lost before a byte of an answer had come. */
    UNANSWERED,

    /** The endpoint had begun to answer, if only with an interim response. */
    ANSWERING
  }

  /** Is notified of what becomes of a request, until {@link RequestStream#reset}. */
  interface Receiver {
    /** From now on, bytes of the request may reach the endpoint. */
    void sending();

    /** The connection had gone unnoticed: no byte was sent, and nothing else follows. */
    void unsent();

    /** The head of the final response has come; interim ones are not reported. */
    void head(ResponseHead head);

    /** A part of the body has come; valid during this call. */
    void body(ByteBuf part);

    /** The response is complete; nothing else follows. */
    void end();

    /** There will be no more of the response. */
    void broken(Throwable fault, Progress progress);
  }

  /** Sends a request; once. May call the receiver before it returns. */
  void send(HttpAttempt attempt, Receiver receiver);

  /** Whether all of the request has been handed to the system. */
  boolean isWritten();

  /** Ends the exchange early: closes an HTTP/1.1 connection, and the stream alone of HTTP/2. */
  void reset();
}
