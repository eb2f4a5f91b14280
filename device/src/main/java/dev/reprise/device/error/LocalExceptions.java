package dev.reprise.device.error;

import dev.reprise.device.error.client.ClientInvalidMessageException;
import dev.reprise.device.error.client.ClientSettingsException;
import dev.reprise.device.error.client.ClientTransportFailedException;
import dev.reprise.device.error.client.CredentialUnavailableException;
import dev.reprise.device.error.network.NetworkConnectTimeoutException;
import dev.reprise.device.error.network.NetworkConnectionClosedException;
import dev.reprise.device.error.network.NetworkConnectionRefusedException;
import dev.reprise.device.error.network.NetworkConnectionResetException;
import dev.reprise.device.error.network.NetworkIoErrorException;
import dev.reprise.device.error.network.NetworkNoRouteToHostException;
import dev.reprise.device.error.network.NetworkReadTimeoutException;
import dev.reprise.device.error.network.NetworkTooManyStreamsException;
import dev.reprise.device.error.network.NetworkUnknownHostException;
import dev.reprise.device.error.network.NetworkUnreachableException;
import dev.reprise.device.error.network.NetworkUnreadableAnswerException;
import dev.reprise.device.error.network.TlsCertificateNotYetValidException;
import dev.reprise.device.error.network.TlsCertificateRejectedException;
import dev.reprise.device.error.network.TlsCorruptedException;
import dev.reprise.device.error.network.TlsHandshakeFailedException;
import dev.reprise.device.error.network.TlsRefusedException;
import dev.reprise.device.error.network.TlsServerCertificateRejectedException;
import dev.reprise.device.error.network.TlsServerErrorException;
import java.util.Map;
import java.util.function.Function;

/**
 * How the exceptions of the network and of the device itself are made, by the names of the table.
 */
final class LocalExceptions {
  static final Map<String, Function<ErrorDetails, TransportException>> BY_NAME =
      Map.ofEntries(
          Map.entry("UnknownHost", NetworkUnknownHostException::new),
          Map.entry("ConnectionRefused", NetworkConnectionRefusedException::new),
          Map.entry("ConnectionReset", NetworkConnectionResetException::new),
          Map.entry("NoRouteToHost", NetworkNoRouteToHostException::new),
          Map.entry("ConnectTimeout", NetworkConnectTimeoutException::new),
          Map.entry("ReadTimeout", NetworkReadTimeoutException::new),
          Map.entry("TlsCertificateRejected", TlsCertificateRejectedException::new),
          Map.entry("TlsServerCertificateRejected", TlsServerCertificateRejectedException::new),
          Map.entry("Unreachable", NetworkUnreachableException::new),
          Map.entry("ConnectionClosed", NetworkConnectionClosedException::new),
          Map.entry("UnreadableAnswer", NetworkUnreadableAnswerException::new),
          Map.entry("IoError", NetworkIoErrorException::new),
          Map.entry("TlsHandshakeFailed", TlsHandshakeFailedException::new),
          Map.entry("TlsServerError", TlsServerErrorException::new),
          Map.entry("TlsCorrupted", TlsCorruptedException::new),
          Map.entry("TlsRefused", TlsRefusedException::new),
          Map.entry("TlsCertificateNotYetValid", TlsCertificateNotYetValidException::new),
          Map.entry("TooManyStreams", NetworkTooManyStreamsException::new),
          Map.entry("ClientTransportFailed", ClientTransportFailedException::new),
          Map.entry("ClientSettings", ClientSettingsException::new),
          Map.entry("ClientInvalidMessage", ClientInvalidMessageException::new),
          Map.entry("CredentialUnavailable", CredentialUnavailableException::new));

  private LocalExceptions() {}
}
