package dev.reprise.device.error;

import dev.reprise.device.error.mqtt.MqttAdministrativeActionException;
import dev.reprise.device.error.mqtt.MqttBadAuthenticationMethodException;
import dev.reprise.device.error.mqtt.MqttBadUsernameOrPasswordException;
import dev.reprise.device.error.mqtt.MqttBannedException;
import dev.reprise.device.error.mqtt.MqttConnectTimeoutException;
import dev.reprise.device.error.mqtt.MqttConnectionLostException;
import dev.reprise.device.error.mqtt.MqttConnectionRateExceededException;
import dev.reprise.device.error.mqtt.MqttIdentifierRejectedException;
import dev.reprise.device.error.mqtt.MqttImplementationSpecificErrorException;
import dev.reprise.device.error.mqtt.MqttKeepAliveTimeoutException;
import dev.reprise.device.error.mqtt.MqttMalformedPacketException;
import dev.reprise.device.error.mqtt.MqttMaximumConnectTimeException;
import dev.reprise.device.error.mqtt.MqttMessageRateTooHighException;
import dev.reprise.device.error.mqtt.MqttPacketIdentifierInUseException;
import dev.reprise.device.error.mqtt.MqttPacketTooLargeException;
import dev.reprise.device.error.mqtt.MqttPayloadFormatInvalidException;
import dev.reprise.device.error.mqtt.MqttProtocolErrorException;
import dev.reprise.device.error.mqtt.MqttQosNotSupportedException;
import dev.reprise.device.error.mqtt.MqttQuotaExceededException;
import dev.reprise.device.error.mqtt.MqttReceiveMaximumExceededException;
import dev.reprise.device.error.mqtt.MqttRejectedProtocolVersionException;
import dev.reprise.device.error.mqtt.MqttRetainNotSupportedException;
import dev.reprise.device.error.mqtt.MqttServerBusyException;
import dev.reprise.device.error.mqtt.MqttServerDisconnectedException;
import dev.reprise.device.error.mqtt.MqttServerMovedException;
import dev.reprise.device.error.mqtt.MqttServerShuttingDownException;
import dev.reprise.device.error.mqtt.MqttServerUnavailableException;
import dev.reprise.device.error.mqtt.MqttSessionTakenOverException;
import dev.reprise.device.error.mqtt.MqttSharedSubscriptionsNotSupportedException;
import dev.reprise.device.error.mqtt.MqttSubscribeFailedException;
import dev.reprise.device.error.mqtt.MqttSubscriptionIdentifiersNotSupportedException;
import dev.reprise.device.error.mqtt.MqttTopicAliasInvalidException;
import dev.reprise.device.error.mqtt.MqttTopicFilterInvalidException;
import dev.reprise.device.error.mqtt.MqttTopicNameInvalidException;
import dev.reprise.device.error.mqtt.MqttUnauthorizedException;
import dev.reprise.device.error.mqtt.MqttUnexpectedErrorException;
import dev.reprise.device.error.mqtt.MqttUnreadablePacketException;
import dev.reprise.device.error.mqtt.MqttUnspecifiedErrorException;
import dev.reprise.device.error.mqtt.MqttUseAnotherServerException;
import dev.reprise.device.error.mqtt.MqttWildcardSubscriptionsNotSupportedException;
import java.util.Map;
import java.util.function.Function;

/** How the exceptions of MQTT are made, by the names of the table. */
final class MqttExceptions {
  static final Map<String, Function<ErrorDetails, TransportException>> BY_NAME =
      Map.ofEntries(
          Map.entry("MqttRejectedProtocolVersion", MqttRejectedProtocolVersionException::new),
          Map.entry("MqttIdentifierRejected", MqttIdentifierRejectedException::new),
          Map.entry("MqttServerUnavailable", MqttServerUnavailableException::new),
          Map.entry("MqttBadUsernameOrPassword", MqttBadUsernameOrPasswordException::new),
          Map.entry("MqttUnauthorized", MqttUnauthorizedException::new),
          Map.entry("MqttUnexpectedError", MqttUnexpectedErrorException::new),
          Map.entry("MqttSubscribeFailed", MqttSubscribeFailedException::new),
          Map.entry("MqttConnectionLost", MqttConnectionLostException::new),
          Map.entry("MqttConnectTimeout", MqttConnectTimeoutException::new),
          Map.entry("MqttUnspecifiedError", MqttUnspecifiedErrorException::new),
          Map.entry("MqttMalformedPacket", MqttMalformedPacketException::new),
          Map.entry("MqttProtocolError", MqttProtocolErrorException::new),
          Map.entry(
              "MqttImplementationSpecificError", MqttImplementationSpecificErrorException::new),
          Map.entry("MqttServerBusy", MqttServerBusyException::new),
          Map.entry("MqttBanned", MqttBannedException::new),
          Map.entry("MqttBadAuthenticationMethod", MqttBadAuthenticationMethodException::new),
          Map.entry("MqttTopicNameInvalid", MqttTopicNameInvalidException::new),
          Map.entry("MqttTopicFilterInvalid", MqttTopicFilterInvalidException::new),
          Map.entry("MqttTopicAliasInvalid", MqttTopicAliasInvalidException::new),
          Map.entry("MqttPacketTooLarge", MqttPacketTooLargeException::new),
          Map.entry("MqttPacketIdentifierInUse", MqttPacketIdentifierInUseException::new),
          Map.entry("MqttQuotaExceeded", MqttQuotaExceededException::new),
          Map.entry("MqttPayloadFormatInvalid", MqttPayloadFormatInvalidException::new),
          Map.entry("MqttRetainNotSupported", MqttRetainNotSupportedException::new),
          Map.entry("MqttQosNotSupported", MqttQosNotSupportedException::new),
          Map.entry("MqttUseAnotherServer", MqttUseAnotherServerException::new),
          Map.entry("MqttServerMoved", MqttServerMovedException::new),
          Map.entry("MqttConnectionRateExceeded", MqttConnectionRateExceededException::new),
          Map.entry("MqttServerDisconnected", MqttServerDisconnectedException::new),
          Map.entry("MqttServerShuttingDown", MqttServerShuttingDownException::new),
          Map.entry("MqttKeepAliveTimeout", MqttKeepAliveTimeoutException::new),
          Map.entry("MqttSessionTakenOver", MqttSessionTakenOverException::new),
          Map.entry("MqttReceiveMaximumExceeded", MqttReceiveMaximumExceededException::new),
          Map.entry("MqttMessageRateTooHigh", MqttMessageRateTooHighException::new),
          Map.entry("MqttAdministrativeAction", MqttAdministrativeActionException::new),
          Map.entry("MqttMaximumConnectTime", MqttMaximumConnectTimeException::new),
          Map.entry(
              "MqttSharedSubscriptionsNotSupported",
              MqttSharedSubscriptionsNotSupportedException::new),
          Map.entry(
              "MqttSubscriptionIdentifiersNotSupported",
              MqttSubscriptionIdentifiersNotSupportedException::new),
          Map.entry(
              "MqttWildcardSubscriptionsNotSupported",
              MqttWildcardSubscriptionsNotSupportedException::new),
          Map.entry("MqttUnreadablePacket", MqttUnreadablePacketException::new));

  private MqttExceptions() {}
}
