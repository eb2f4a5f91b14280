package dev.reprise.device.error;

import dev.reprise.common.text.HarmlessText;

/**
 * Gives codes that are no rows of the table their meaning: ranges of numbers, and unknown codes.
 */
final class UnlistedCodes {
  private static final int HIGHEST_MQTT_CODE = 255;

  /** The other side chooses the code of a vendor, and it ends in logs. */
  private static final int MAX_CODE = 200;

  private UnlistedCodes() {}

  /**
   * Returns the row of a code that the table does not have.
   *
   * @param code as {@link Codes#written} writes it
   */
  static ErrorRow row(String protocol, String code) {
    String shown = HarmlessText.oneLine(code, MAX_CODE);
    if (protocol.equals("http")) {
      return http(shown);
    }
    if (protocol.equals("amqp")) {
      return amqp(shown);
    }
    if (protocol.startsWith("mqtt") && isWithin(0, Codes.number(code), HIGHEST_MQTT_CODE)) {
      return unknown(protocol, shown, "MqttUnexpectedError");
    }
    return unknown(protocol, shown, DeviceErrors.generalName(protocol));
  }

  private static ErrorRow http(String code) {
    int status = Codes.number(code);

    // The server failed at something that may well succeed later.
    if (isWithin(500, status, 599)) {
      return new ErrorRow(
          "http", code, "ServiceUnknown", true, ErrorKind.SERVER, ErrorScope.OPERATION);
    }

    // Log-in pages between the device and the hub redirect; redirects are not followed here.
    if (isWithin(300, status, 399)) {
      return DeviceErrors.row("http", "redirect");
    }

    // The same request would get the same answer.
    if (isWithin(400, status, 499)) {
      return new ErrorRow(
          "http", code, "ServiceUnknown", false, ErrorKind.CLIENT, ErrorScope.OPERATION);
    }
    return unknown("http", code, DeviceErrors.generalName("http"));
  }

  private static ErrorRow amqp(String condition) {
    String lowerCase = Codes.lowerCase(condition);

    // Vendors have words of their own for it, which all end so.
    if (lowerCase.endsWith("throttled")) {
      return new ErrorRow(
          "amqp", condition, "AmqpThrottled", true, ErrorKind.THROTTLE, ErrorScope.CONNECTION);
    }
    if (lowerCase.endsWith(":server-busy")) {
      return new ErrorRow(
          "amqp", condition, "AmqpServerBusy", true, ErrorKind.THROTTLE, ErrorScope.OPERATION);
    }
    return unknown("amqp", condition, DeviceErrors.generalName("amqp"));
  }

  private static ErrorRow unknown(String protocol, String code, String name) {
    boolean isOfOneOperation =
        protocol.equals("http") || protocol.endsWith("-puback") || protocol.endsWith("-suback");
    return new ErrorRow(
        protocol,
        code,
        name,
        false,
        ErrorKind.UNKNOWN,
        isOfOneOperation ? ErrorScope.OPERATION : ErrorScope.CONNECTION);
  }

  private static boolean isWithin(int lowest, int number, int highest) {
    return number >= lowest && number <= highest;
  }
}
