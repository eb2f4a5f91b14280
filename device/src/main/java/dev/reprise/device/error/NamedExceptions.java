package dev.reprise.device.error;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Makes the exception that the name of a row asks for. */
final class NamedExceptions {
  private static final Map<String, Function<ErrorDetails, TransportException>> BY_NAME = byName();

  private NamedExceptions() {}

  static TransportException of(ErrorDetails details) {
    String name = details.row().name();
    Function<ErrorDetails, TransportException> constructor = BY_NAME.get(name);
    if (constructor == null) {
      constructor =
          BY_NAME.getOrDefault(general(details.row().protocol()), TransportException::new);
    }
    return constructor.apply(details);
  }

  /** Returns the name of what a protocol throws where no row says more. */
  static String general(String protocol) {
    if (protocol.startsWith("mqtt") || protocol.startsWith("amqp")) {
      return "ProtocolException";
    }
    return protocol.equals("http") ? "HubServiceException" : "TransportException";
  }

  private static Map<String, Function<ErrorDetails, TransportException>> byName() {
    Map<String, Function<ErrorDetails, TransportException>> all = new HashMap<>();
    all.put("TransportException", TransportException::new);
    all.put("ProtocolException", ProtocolException::new);
    all.put("HubServiceException", HubServiceException::new);
    all.putAll(HubExceptions.BY_NAME);
    all.putAll(MqttExceptions.BY_NAME);
    all.putAll(AmqpExceptions.BY_NAME);
    all.putAll(LocalExceptions.BY_NAME);
    return all;
  }
}
