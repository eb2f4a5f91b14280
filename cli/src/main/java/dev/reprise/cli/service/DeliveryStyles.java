package dev.reprise.cli.service;

import dev.reprise.cli.terminal.Terminal.Style;

/** The emphasis of a delivery's status. */
final class DeliveryStyles {
  private DeliveryStyles() {}

  static Style of(String status) {
    return switch (status) {
      case "delivered" -> Style.GOOD;
      case "pending" -> Style.WAITING;
      case "dead-lettered", "discarded", "expired" -> Style.BAD;
      default -> Style.PLAIN;
    };
  }
}
