package dev.reprise.device.error;

import dev.reprise.device.error.hub.BadFormatException;
import dev.reprise.device.error.hub.BadGatewayException;
import dev.reprise.device.error.hub.ForbiddenException;
import dev.reprise.device.error.hub.GatewayTimeoutException;
import dev.reprise.device.error.hub.HubNotReachedException;
import dev.reprise.device.error.hub.HubOrDeviceIdNotFoundException;
import dev.reprise.device.error.hub.InternalServerErrorException;
import dev.reprise.device.error.hub.PreconditionFailedException;
import dev.reprise.device.error.hub.QuotaExceededException;
import dev.reprise.device.error.hub.RequestEntityTooLargeException;
import dev.reprise.device.error.hub.RequestTimeoutException;
import dev.reprise.device.error.hub.ServerBusyException;
import dev.reprise.device.error.hub.ServiceUnknownException;
import dev.reprise.device.error.hub.ThrottledException;
import dev.reprise.device.error.hub.UnauthorizedException;
import java.util.Map;
import java.util.function.Function;

/** How the exceptions of a hub are made, by the names of the table. */
final class HubExceptions {
  static final Map<String, Function<ErrorDetails, TransportException>> BY_NAME =
      Map.ofEntries(
          Map.entry("BadFormat", BadFormatException::new),
          Map.entry("Unauthorized", UnauthorizedException::new),
          Map.entry("Forbidden", ForbiddenException::new),
          Map.entry("QuotaExceeded", QuotaExceededException::new),
          Map.entry("HubNotReached", HubNotReachedException::new),
          Map.entry("HubOrDeviceIdNotFound", HubOrDeviceIdNotFoundException::new),
          Map.entry("RequestTimeout", RequestTimeoutException::new),
          Map.entry("PreconditionFailed", PreconditionFailedException::new),
          Map.entry("RequestEntityTooLarge", RequestEntityTooLargeException::new),
          Map.entry("Throttled", ThrottledException::new),
          Map.entry("InternalServerError", InternalServerErrorException::new),
          Map.entry("ServiceUnknown", ServiceUnknownException::new),
          Map.entry("BadGateway", BadGatewayException::new),
          Map.entry("ServerBusy", ServerBusyException::new),
          Map.entry("GatewayTimeout", GatewayTimeoutException::new));

  private HubExceptions() {}
}
