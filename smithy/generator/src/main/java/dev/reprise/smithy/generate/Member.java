package dev.reprise.smithy.generate;

import dev.reprise.smithy.source.JavaType;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.traits.DeprecatedTrait;
import software.amazon.smithy.model.traits.DocumentationTrait;

/**
 * A member of a structure, as its class has it.
 *
 * @param shape the member
 * @param target what its values are
 * @param name the accessor's name
 * @param type its type, primitive only when there is always a value
 * @param required true if there is always a value
 * @param preset the value that it has unless another is set, from {@code @default}; or null
 * @param sensitive true when its value is never shown
 */
record Member(
    MemberShape shape,
    Shape target,
    String name,
    JavaType type,
    boolean required,
    @Nullable Node preset,
    boolean sensitive) {

  /** Returns true for lists and maps, which are empty rather than null. */
  boolean isCollection() {
    return JavaTypes.isList(target) || target.isMapShape();
  }

  /** Returns true if a builder without this value is refused. */
  boolean mustBeSet() {
    return required && preset == null && (!isCollection() || shape.isRequired());
  }

  /** Returns the model's words on the member, and its target's when it has none of its own. */
  String documentation() {
    String own = documentation(shape);
    return own.isEmpty() ? documentation(target) : own;
  }

  /**
   * Returns the model's words on a shape, with those on its deprecation; empty if there are none.
   */
  static String documentation(Shape shape) {
    String words =
        shape.getTrait(DocumentationTrait.class).map(DocumentationTrait::getValue).orElse("");
    DeprecatedTrait deprecated = shape.getTrait(DeprecatedTrait.class).orElse(null);
    // Without @Deprecated: the classes that read responses would warn of it themselves.
    return deprecated == null
        ? words
        : words
            + "\n\nDeprecated"
            + since(deprecated)
            + deprecated.getMessage().map(m -> ": " + m).orElse(".");
  }

  private static String since(DeprecatedTrait deprecated) {
    return deprecated.getSince().map(since -> " since " + since).orElse("");
  }
}
