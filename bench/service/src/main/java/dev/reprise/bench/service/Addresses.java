package dev.reprise.bench.service;

/** Distinct addresses that all lead to this machine. */
final class Addresses {
  private Addresses() {}

  /** The {@code i}-th of 60,000 addresses in 127.0.0.0/8. */
  static String loopback(int i) {
    return "127.1." + i / 250 + "." + (1 + i % 250);
  }
}
