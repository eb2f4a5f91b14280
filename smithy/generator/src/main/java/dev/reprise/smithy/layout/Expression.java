package dev.reprise.smithy.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Java expression, as far as where it may be broken depends on what it is. */
sealed interface Expression {

  /** What is one word: a name, {@code this} or a literal. */
  record Word(String text, boolean name) implements Expression {}

  /** {@code base.name} */
  record Select(Expression base, String name) implements Expression {}

  /** {@code base.<T>name(arguments)}; without base a call of a method of this class. */
  record Call(
      @Nullable Expression base, List<TypeName> types, String name, List<Expression> arguments)
      implements Expression {}

  /** {@code new TypeName(arguments)} */
  record Creation(TypeName type, List<Expression> arguments) implements Expression {}

  /** Operands with operators of one precedence between them. */
  record Infix(List<Expression> operands, List<String> operators) implements Expression {}

  /** {@code !operand}, {@code -operand} */
  record Prefix(String operator, Expression operand) implements Expression {}

  /** {@code (inner)} */
  record Parenthesized(Expression inner) implements Expression {}

  /** {@code (Type) operand} */
  record Cast(TypeName type, Expression operand) implements Expression {}

  /** {@code operand instanceof TypeName name} */
  record TypeTest(Expression operand, TypeName type, String name) implements Expression {}

  /** {@code condition ? yes : no} */
  record Choice(Expression condition, Expression yes, Expression no) implements Expression {}

  /** {@code variable = value}, {@code variable += value} */
  record Assignment(Expression variable, String operator, Expression value) implements Expression {}

  /** {@code a -> body}, {@code (a, b) -> body} */
  record Lambda(List<String> parameters, boolean brackets, Expression body) implements Expression {}

  /** {@code Type::name} */
  record MethodReference(Expression qualifier, String name) implements Expression {}

  /**
   * A type. A name with type arguments is {@code name<arguments>}, and what is nested in it has the
   * dimensions.
   *
   * @param name {@code java.util.Map}, {@code int}, {@code ?}, {@code ? extends}
   * @param bound what a wildcard extends
   */
  record TypeName(
      Expression name, List<TypeName> arguments, @Nullable TypeName bound, List<String> dimensions)
      implements Expression {}
}
