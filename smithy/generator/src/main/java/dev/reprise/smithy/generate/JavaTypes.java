package dev.reprise.smithy.generate;

import dev.reprise.smithy.names.TypeNames;
import dev.reprise.smithy.source.JavaType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.loader.Prelude;
import software.amazon.smithy.model.node.ObjectNode;
import software.amazon.smithy.model.shapes.EnumShape;
import software.amazon.smithy.model.shapes.ListShape;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.StringShape;
import software.amazon.smithy.model.traits.SparseTrait;

/** The type of Java that holds the values of each shape. Immutable. */
final class JavaTypes {
  static final JavaType STRING = JavaType.of(String.class);

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.:/-]*");

  private final Model model;
  private final String packageName;
  private final TypeNames names;

  JavaTypes(Model model, String packageName, TypeNames names) {
    this.model = model;
    this.packageName = packageName;
    this.names = names;
  }

  /** Returns the type of a shape; a string with the enum trait of Smithy 1.0 is an enum. */
  static Shape asEnum(Shape shape) {
    StringShape string = shape.asStringShape().orElse(null);
    if (string == null || shape.isEnumShape() || !hasNamedValues(shape)) {
      return shape;
    }
    return EnumShape.fromStringShape(string, true).map(Shape.class::cast).orElse(shape);
  }

  /** Values that no name can be made of leave it a string. */
  private static boolean hasNamedValues(Shape string) {
    return string
        .findTrait("enum")
        .map(trait -> trait.toNode().expectArrayNode().getElementsAs(ObjectNode.class))
        .filter(values -> values.stream().allMatch(JavaTypes::isNamed))
        .isPresent();
  }

  private static boolean isNamed(ObjectNode value) {
    return value.containsMember("name")
        || NAME.matcher(value.expectStringMember("value").getValue()).matches();
  }

  /** Returns whether the shape becomes a class of its own. */
  static boolean isClass(Shape shape) {
    return !Prelude.isPreludeShape(shape)
        && (shape.isStructureShape()
            || shape.isUnionShape()
            || shape.isEnumShape()
            || shape.isIntEnumShape());
  }

  /** Returns whether the values are a list. The sets of Smithy 1.0 are lists of another type. */
  static boolean isList(Shape shape) {
    return shape instanceof ListShape;
  }

  /** Returns whether a list or map may hold nulls. */
  static boolean isSparse(Shape shape) {
    return shape.hasTrait(SparseTrait.class);
  }

  /** Returns the target of a member. */
  Shape target(MemberShape member) {
    return asEnum(model.expectShape(member.getTarget()));
  }

  /** Returns the type of a member's value, as a primitive where there is one. */
  JavaType of(MemberShape member) {
    return of(target(member));
  }

  /** Returns the type of a shape's values, as a primitive where there is one. */
  JavaType of(Shape shape) {
    if (shape instanceof ListShape list) {
      return JavaType.of(List.class, of(list.getMember()).boxed());
    }
    return switch (shape.getType()) {
      case BOOLEAN -> JavaType.of(boolean.class);
      case BYTE -> JavaType.of(byte.class);
      case SHORT -> JavaType.of(short.class);
      case INTEGER -> JavaType.of(int.class);
      case LONG -> JavaType.of(long.class);
      case FLOAT -> JavaType.of(float.class);
      case DOUBLE -> JavaType.of(double.class);
      case BIG_INTEGER -> JavaType.of(BigInteger.class);
      case BIG_DECIMAL -> JavaType.of(BigDecimal.class);
      case TIMESTAMP -> JavaType.of(Instant.class);
      case BLOB -> RuntimeTypes.BLOB;
      case MAP ->
          JavaType.of(
              Map.class,
              of(shape.asMapShape().orElseThrow().getKey()),
              of(shape.asMapShape().orElseThrow().getValue()).boxed());
      case STRUCTURE, UNION, ENUM, INT_ENUM ->
          isClass(shape) ? JavaType.of(packageName, names.of(shape.getId())) : STRING;
      // A document stays what it was sent as: JSON text.
      case STRING, DOCUMENT -> STRING;
      default -> throw new IllegalArgumentException(shape + " holds no value");
    };
  }

  /** Returns the class of a shape. */
  JavaType classOf(Shape shape) {
    return JavaType.of(packageName, names.of(shape.getId()));
  }
}
