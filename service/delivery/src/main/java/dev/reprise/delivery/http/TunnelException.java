package dev.reprise.delivery.http;

import java.io.IOException;

/**
 * No tunnel through a forward proxy. What an endpoint can bring about is never put down to the
 * proxy: a single endpoint that never answers must not stop what goes to the others.
 */
final class TunnelException extends IOException {
  private static final long serialVersionUID = 1;

  private enum Reason {
    PROXY,
    UNKNOWN,
    ENDPOINT
  }

  private final Reason reason;
  private final boolean worthAnotherAddress;

  private TunnelException(String message, Reason reason, boolean worthAnotherAddress) {
    super(message);
    this.reason = reason;
    this.worthAnotherAddress = worthAnotherAddress;
  }

  /** The proxy cannot be used. */
  static TunnelException ofProxy(String message) {
    return new TunnelException(message, Reason.PROXY, false);
  }

  /** The proxy does not want to, and does not say whether that is about this endpoint alone. */
  static TunnelException refused(String message) {
    return new TunnelException(message, Reason.UNKNOWN, false);
  }

  /** The proxy has failed at this address of the endpoint, and does not say why. */
  static TunnelException atAddress(String message) {
    return new TunnelException(message, Reason.UNKNOWN, true);
  }

  /** The endpoint cannot be reached by the proxy. */
  static TunnelException ofEndpoint(String message) {
    return new TunnelException(message, Reason.ENDPOINT, true);
  }

  /** Whether it is the endpoint that failed, and not the proxy. */
  boolean isOfEndpoint() {
    return reason == Reason.ENDPOINT;
  }

  /** Whether it is known which of the two failed. */
  boolean isExplained() {
    return reason != Reason.UNKNOWN;
  }

  /** Whether another address of the endpoint may do better. */
  boolean isWorthAnotherAddress() {
    return worthAnotherAddress;
  }
}
