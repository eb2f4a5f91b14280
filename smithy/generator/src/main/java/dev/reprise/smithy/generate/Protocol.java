package dev.reprise.smithy.generate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.ShapeId;
import software.amazon.smithy.model.traits.JsonNameTrait;
import software.amazon.smithy.model.traits.ProtocolDefinitionTrait;

/** The protocols whose errors are read, and where in a response their members are. */
enum Protocol {
  /** Members in the JSON body under their {@code @jsonName}, in headers and in the payload. */
  REST_JSON("restJson1"),

  /** Members in the JSON body under their own names. */
  AWS_JSON_1_1("awsJson1_1"),

  /** Members in the JSON body under their own names, in the older version of the protocol. */
  AWS_JSON_1_0("awsJson1_0"),

  /** None is named: as {@link #REST_JSON}, but {@code code} may be a member like any other. */
  PLAIN_JSON("");

  private static final String AWS = "aws.protocols";

  private final String trait;

  Protocol(String trait) {
    this.trait = trait;
  }

  /**
   * Returns the protocol in which a service's errors are read; null if it has others only. A
   * service that names none is taken for JSON with bindings, as those of plain HTTP APIs are.
   */
  static @Nullable Protocol of(Model model, ServiceShape service) {
    for (Protocol protocol : List.of(REST_JSON, AWS_JSON_1_1, AWS_JSON_1_0)) {
      if (service.hasTrait(ShapeId.fromParts(AWS, protocol.trait))) {
        return protocol;
      }
    }
    return hasOther(model, service) ? null : PLAIN_JSON;
  }

  private static boolean hasOther(Model model, ServiceShape service) {
    return service.getAllTraits().keySet().stream().anyMatch(trait -> isProtocol(model, trait));
  }

  private static boolean isProtocol(Model model, ShapeId trait) {
    // It only adds codes to another protocol.
    if (trait.getName().equals("awsQueryCompatible")) {
      return false;
    }

    // These count even where their definition is not at hand.
    if (trait.getNamespace().equals(AWS) || trait.getNamespace().equals("smithy.protocols")) {
      return true;
    }
    return model
        .getShape(trait)
        .filter(shape -> shape.hasTrait(ProtocolDefinitionTrait.class))
        .isPresent();
  }

  /** Returns true if headers and payload hold members, and {@code @jsonName} renames them. */
  boolean hasBindings() {
    return this == REST_JSON || this == PLAIN_JSON;
  }

  /** Returns the name of a member in JSON. */
  String jsonName(MemberShape member) {
    String name = member.getMemberName();
    return hasBindings()
        ? member.getTrait(JsonNameTrait.class).map(JsonNameTrait::getValue).orElse(name)
        : name;
  }

  /** Returns the method that tells whether a response names no error, so that its status may. */
  String unnamed() {
    return this == PLAIN_JSON ? "hasNoType" : "isUnnamed";
  }

  /** Returns the method that makes an error that the model does not know. */
  String unmodeled() {
    return this == PLAIN_JSON ? "unmodeledByType" : "unmodeled";
  }
}
