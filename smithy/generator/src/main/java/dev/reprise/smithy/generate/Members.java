package dev.reprise.smithy.generate;

import dev.reprise.smithy.names.UniqueNames;
import dev.reprise.smithy.source.JavaType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.knowledge.NullableIndex;
import software.amazon.smithy.model.knowledge.NullableIndex.CheckMode;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.DefaultTrait;
import software.amazon.smithy.model.traits.SensitiveTrait;

/** Finds the members of structures and unions. Immutable. */
final class Members {
  /** The member that is an error's message, in any case: services of AWS write it in both. */
  static final String MESSAGE = "message";

  private final Model model;
  private final NullableIndex nullable;
  private final JavaTypes types;

  Members(Model model, JavaTypes types) {
    this.model = model;
    this.nullable = NullableIndex.of(model);
    this.types = types;
  }

  /** Returns the members of a structure, in the model's order. */
  List<Member> of(StructureShape structure) {
    Map<String, String> names = UniqueNames.members(structure.getMemberNames());
    boolean hidden = structure.hasTrait(SensitiveTrait.class);
    return structure.members().stream()
        .map(
            member ->
                member(member, Objects.requireNonNull(names.get(member.getMemberName())), hidden))
        .toList();
  }

  private Member member(MemberShape member, String name, boolean hidden) {
    Shape target = types.target(member);
    JavaType type = types.of(target);
    boolean collection = JavaTypes.isList(target) || target.isMapShape();
    boolean required = collection || !nullable.isMemberNullable(member, CheckMode.CLIENT);
    Node preset = member.getTrait(DefaultTrait.class).map(DefaultTrait::toNode).orElse(null);
    return new Member(
        member,
        target,
        name,
        required ? type : type.boxed(),
        required,
        preset == null || preset.isNullNode() || !required ? null : preset,
        hidden || isSensitive(member));
  }

  /** Returns whether a member holds the text for people. */
  static boolean isMessage(Member member) {
    return member.shape().getMemberName().equalsIgnoreCase(MESSAGE)
        && member.target().isStringShape();
  }

  /** Returns whether a member's values are secret, or hold in a list or map what is. */
  boolean isSensitive(MemberShape member) {
    return isSensitive(member, new HashSet<>());
  }

  private boolean isSensitive(MemberShape member, Set<Shape> seen) {
    Shape target = model.expectShape(member.getTarget());
    if (member.hasTrait(SensitiveTrait.class) || target.hasTrait(SensitiveTrait.class)) {
      return true;
    }
    // Structures and unions hide their own.
    boolean collection = JavaTypes.isList(target) || target.isMapShape();
    return collection
        && seen.add(target)
        && target.members().stream().anyMatch(element -> isSensitive(element, seen));
  }
}
