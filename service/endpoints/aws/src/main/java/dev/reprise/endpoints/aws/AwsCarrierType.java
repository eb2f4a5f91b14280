package dev.reprise.endpoints.aws;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.policy.document.ObjectType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** AWS accounts: {@code aws}, for queues of SQS and functions of Lambda. */
public final class AwsCarrierType implements CarrierType<AwsSettings> {
  @Override
  public String name() {
    return "aws";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.QUEUE, Protocol.FUNCTION);
  }

  @Override
  public ObjectType<AwsSettings> settings() {
    return AwsSettings.TYPE;
  }

  @Override
  public int defaultInFlight() {
    return 100;
  }

  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    return protocol == Protocol.QUEUE
        ? QueueName.problem(endpoint)
        : FunctionName.problem(endpoint);
  }

  @Override
  public Carrier open(AwsSettings settings, CarrierContext context) {
    return new AwsCarrier(settings, context);
  }
}
