package dev.reprise.device.error;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The error table: what each code of each protocol means. Read from {@code device-errors.csv},
 * which the documentation shows and the tests check, so that all three agree. Thread-safe.
 *
 * <p>Codes that are no rows follow rules: every other status of HTTP goes by its range (5xx is the
 * server's fault and retried, 4xx is not, 3xx has the row {@code redirect}), every other code of an
 * MQTT packet is a {@code MqttUnexpectedError}, and AMQP conditions of any vendor that end in
 * {@code throttled} or {@code :server-busy} mean what they say. All else is of kind {@link
 * ErrorKind#UNKNOWN} and not retried.
 */
public final class DeviceErrors {
  private static final String FILE = "device-errors.csv";

  private static final Map<String, ErrorRow> ROWS = read();

  private DeviceErrors() {}

  /** Returns all rows, in the order of the file. */
  public static List<ErrorRow> rows() {
    return List.copyOf(ROWS.values());
  }

  /**
   * Returns what a code means; never fails, whatever the other side sent as its code.
   *
   * @param protocol where the code comes from, such as {@code mqtt5-connack}
   * @param code numbers in decimal or as {@code 0x9F}, texts in any case
   */
  public static ErrorRow row(String protocol, String code) {
    String written = Codes.written(protocol, code);
    ErrorRow row = ROWS.get(key(protocol, written));
    return row != null ? row : UnlistedCodes.row(protocol, written);
  }

  /** Returns the meaning of a numeric code of the protocol. */
  public static ErrorRow row(String protocol, int code) {
    return row(protocol, Integer.toString(code));
  }

  /**
   * Returns the exception of an error: a {@link ProtocolException} if the protocol is MQTT or AMQP,
   * a {@link HubServiceException} if it is HTTP, else a {@link TransportException}. Refused MQTT
   * user names and passwords are a {@link MqttBadUsernameOrPasswordException}.
   */
  public static TransportException exception(ErrorDetails details) {
    ErrorRow row = details.row();
    if (isMqtt(row.protocol()) && row.name().equals(MqttBadUsernameOrPasswordException.NAME)) {
      return new MqttBadUsernameOrPasswordException(details);
    }
    return switch (generalName(row.protocol())) {
      case "ProtocolException" -> new ProtocolException(details);
      case "HubServiceException" -> new HubServiceException(details);
      default -> new TransportException(details);
    };
  }

  /** Returns the exception of a code of which nothing more is known. */
  public static TransportException exception(String protocol, String code) {
    return exception(ErrorDetails.of(row(protocol, code)));
  }

  /**
   * Returns the simple name of the exception class of a protocol, which names unknown codes too.
   */
  static String generalName(String protocol) {
    if (isMqtt(protocol) || protocol.startsWith("amqp")) {
      return "ProtocolException";
    }
    return protocol.equals("http") ? "HubServiceException" : "TransportException";
  }

  private static boolean isMqtt(String protocol) {
    return protocol.startsWith("mqtt");
  }

  private static String key(String protocol, String code) {
    return protocol + "," + Codes.lowerCase(code);
  }

  private static Map<String, ErrorRow> read() {
    Map<String, ErrorRow> rows = new LinkedHashMap<>();
    try (InputStream file =
            Objects.requireNonNull(DeviceErrors.class.getResourceAsStream(FILE), FILE);
        BufferedReader reader = new BufferedReader(new InputStreamReader(file, UTF_8))) {
      reader
          .lines()
          .skip(1)
          .map(DeviceErrors::parse)
          .forEach(row -> rows.put(key(row.protocol(), row.code()), row));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private static ErrorRow parse(String line) {
    String[] fields = line.split(",", -1);
    return new ErrorRow(
        fields[0],
        fields[1],
        fields[2],
        fields[3].equals("yes"),
        ErrorKind.valueOf(fields[4].toUpperCase(Locale.ROOT)),
        ErrorScope.valueOf(fields[5].toUpperCase(Locale.ROOT)));
  }
}
