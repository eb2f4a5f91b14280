package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.smithy.names.UniqueNames;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.node.ObjectNode;
import software.amazon.smithy.model.shapes.ListShape;
import software.amazon.smithy.model.shapes.MapShape;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.shapes.UnionShape;
import software.amazon.smithy.model.traits.UnitTypeTrait;

/**
 * Compares generated objects with the parameters of a protocol test: timestamps are seconds, blobs
 * are text, and what JSON has no number for is a string.
 */
final class ExpectedMembers {
  private final Model model;

  ExpectedMembers(Model model) {
    this.model = model;
  }

  /** Checks that a structure has the members that are expected, and no others. */
  void check(StructureShape structure, ObjectNode expected, Object actual) {
    Map<String, String> accessors = UniqueNames.members(structure.getMemberNames());
    for (MemberShape member : structure.members()) {
      String name = member.getMemberName();
      Object value = CompiledErrors.value(actual, String.valueOf(accessors.get(name)));
      checkMember(member, expected.getMember(name).orElse(Node.nullNode()), value);
    }
  }

  private void checkMember(MemberShape member, Node expected, @Nullable Object actual) {
    String name = member.getId().toString();
    if (expected.isNullNode()) {
      // Lists and maps are empty rather than null.
      assertThat(actual).as(name).isIn(null, List.of(), Map.of());
      return;
    }
    assertThat(actual).as(name).isNotNull();
    Shape target = model.expectShape(member.getTarget());
    switch (target.getType()) {
      case LIST, SET ->
          checkList((ListShape) target, expected.expectArrayNode().getElements(), actual);
      case MAP -> checkMap((MapShape) target, expected.expectObjectNode(), (Map<?, ?>) actual);
      case STRUCTURE -> check((StructureShape) target, expected.expectObjectNode(), actual);
      case UNION -> checkUnion((UnionShape) target, expected.expectObjectNode(), actual);
      case DOCUMENT -> Node.assertEquals(Node.parse((String) actual), expected);
      default -> assertThat(plain(actual)).as(name).isEqualTo(plain(target, expected));
    }
  }

  private void checkList(ListShape list, List<Node> expected, Object actual) {
    List<?> elements = (List<?>) actual;
    assertThat(elements).as(list.getId().toString()).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      checkMember(list.getMember(), expected.get(i), elements.get(i));
    }
  }

  private void checkMap(MapShape map, ObjectNode expected, Map<?, ?> actual) {
    Map<String, Object> members = new LinkedHashMap<>();
    actual.forEach((key, value) -> members.put((String) plain(key), value));
    assertThat(members)
        .as(map.getId().toString())
        .containsOnlyKeys(expected.getStringMap().keySet());
    expected
        .getStringMap()
        .forEach((key, value) -> checkMember(map.getValue(), value, members.get(key)));
  }

  private void checkUnion(UnionShape union, ObjectNode expected, Object actual) {
    String tag = expected.getStringMap().keySet().iterator().next();
    assertThat(actual.getClass().getSimpleName())
        .as(union.getId().toString())
        .isEqualTo(UniqueNames.variants(union.getMemberNames(), union.getId().getName()).get(tag));
    MemberShape member = union.getMember(tag).orElseThrow();
    if (!member.getTarget().equals(UnitTypeTrait.UNIT)) {
      checkMember(member, expected.expectMember(tag), CompiledErrors.value(actual, "value"));
    }
  }

  private static Object plain(Object actual) {
    if (actual.getClass().getSimpleName().equals("Blob")) {
      return new String(
          (byte[]) CompiledErrors.value(actual, "toByteArray"), StandardCharsets.UTF_8);
    }
    return actual instanceof Record ? CompiledErrors.value(actual, "value") : actual;
  }

  private static Object plain(Shape target, Node expected) {
    return switch (target.getType()) {
      case BOOLEAN -> expected.expectBooleanNode().getValue();
      case BYTE -> expected.expectNumberNode().getValue().byteValue();
      case SHORT -> expected.expectNumberNode().getValue().shortValue();
      case INTEGER, INT_ENUM -> expected.expectNumberNode().getValue().intValue();
      case LONG -> expected.expectNumberNode().getValue().longValue();
      case FLOAT -> Float.valueOf(text(expected));
      case DOUBLE -> Double.valueOf(text(expected));
      case BIG_INTEGER -> new BigDecimal(text(expected)).toBigIntegerExact();
      case BIG_DECIMAL -> new BigDecimal(text(expected));
      case TIMESTAMP -> instant(new BigDecimal(text(expected)));
      default -> expected.expectStringNode().getValue();
    };
  }

  private static String text(Node number) {
    return number.isStringNode()
        ? number.expectStringNode().getValue()
        : number.expectNumberNode().getValue().toString();
  }

  private static Instant instant(BigDecimal seconds) {
    return Instant.EPOCH.plusMillis(seconds.movePointRight(3).longValueExact());
  }
}
