package dev.reprise.device.hub;

import dev.reprise.core.InvalidSettingException;

/** The rules that the settings of several hubs share. */
final class SettingChecks {
  private static final int MAX_PORT = 65_535;

  private SettingChecks() {}

  static String notEmpty(String field, String value) {
    if (value.isEmpty()) {
      throw new InvalidSettingException(field, "empty", "must have at least one character");
    }
    return value;
  }

  static int port(int port) {
    if (port < 1 || port > MAX_PORT) {
      throw new InvalidSettingException("port", port, "must be 1 to " + MAX_PORT);
    }
    return port;
  }
}
