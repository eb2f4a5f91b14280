package dev.reprise.smithy.generate;

import dev.reprise.core.http.HttpDate;
import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.node.NumberNode;
import software.amazon.smithy.model.shapes.Shape;

/** Writes the default values of members, as expressions of Java. */
final class DefaultValues {
  /** The digits of 1e1000000000 would fill the memory. */
  private static final int MAX_DIGITS = 1000;

  /** A constant of Java has at most 65,535 bytes, and a character at most 3. */
  private static final int MAX_LITERAL = 65_535 / 3;

  private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

  private static final Pattern FRACTION_OF_HTTP_DATE = Pattern.compile("[.]([0-9]{1,9}) GMT$");

  private DefaultValues() {}

  /**
   * Returns the expression of a default, which compiles and has a value when it runs.
   *
   * @param value what {@code @default} names, not null
   * @throws IllegalArgumentException if it stands for no value of the member
   */
  static String expression(JavaWriter writer, Member member, Node value) {
    Shape target = member.target();
    String type = writer.name(member.type());
    if (JavaTypes.isList(target)) {
      return emptyCollection(writer, List.class);
    }
    return switch (target.getType()) {
      case BOOLEAN -> String.valueOf(value.expectBooleanNode().getValue());
      case BYTE -> "(" + type + ") " + whole(member, value, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SHORT -> "(" + type + ") " + whole(member, value, Short.MIN_VALUE, Short.MAX_VALUE);
      case INTEGER -> int32(member, value);
      case LONG -> whole(member, value, Long.MIN_VALUE, Long.MAX_VALUE) + "L";
      case FLOAT -> float32(member, value);
      case DOUBLE -> float64(member, value);
      case BIG_INTEGER -> "new " + type + "(" + JavaWriter.literal(whole(member, value)) + ")";
      case BIG_DECIMAL -> "new " + type + "(" + literal(decimal(member, value).toString()) + ")";
      case INT_ENUM -> "new " + type + "(" + int32(member, value) + ")";
      case ENUM ->
          JavaTypes.isClass(target) ? "new " + type + "(" + text(value) + ")" : text(value);
      case STRING -> text(value);
      case DOCUMENT -> literal(Node.printJson(value));
      case BLOB -> type + ".ofBase64(" + base64(member, value) + ")";
      case TIMESTAMP -> type + instant(member, value);
      case MAP -> emptyCollection(writer, Map.class);
      default -> throw new IllegalArgumentException(member.shape().getId() + " has no default");
    };
  }

  /**
   * Returns the expression for what a server left out although the model requires it: Smithy asks
   * clients to go on with an empty value. Null for structures, which are read from nothing.
   */
  static @Nullable String empty(JavaWriter writer, JavaTypes types, Shape target) {
    String type = writer.name(types.of(target));
    if (JavaTypes.isList(target)) {
      return emptyCollection(writer, List.class);
    }
    return switch (target.getType()) {
      case BOOLEAN -> "false";
      case BYTE, SHORT -> "(" + type + ") 0";
      case INTEGER -> "0";
      case LONG -> "0L";
      case FLOAT -> "0f";
      case DOUBLE -> "0d";
      case BIG_INTEGER -> writer.name(JavaType.of(BigInteger.class)) + ".ZERO";
      case BIG_DECIMAL -> writer.name(JavaType.of(BigDecimal.class)) + ".ZERO";
      case INT_ENUM -> "new " + type + "(0)";
      case ENUM -> JavaTypes.isClass(target) ? "new " + type + "(\"\")" : "\"\"";
      case STRING -> "\"\"";
      case DOCUMENT -> "\"null\"";
      case BLOB -> type + ".ofBase64(\"\")";
      case TIMESTAMP -> writer.name(JavaType.of(Instant.class)) + ".EPOCH";
      case UNION -> "new " + type + ".UnknownMember(\"\")";
      case MAP -> emptyCollection(writer, Map.class);
      default -> null;
    };
  }

  private static String emptyCollection(JavaWriter writer, Class<?> type) {
    return writer.name(JavaType.of(type)) + ".of()";
  }

  private static String int32(Member member, Node value) {
    return whole(member, value, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private static String whole(Member member, Node value, long min, long max) {
    String rule = "must be a whole number from " + min + " to " + max;
    BigInteger number = wholeOrNull(member, value);
    if (number == null
        || number.compareTo(BigInteger.valueOf(min)) < 0
        || number.compareTo(BigInteger.valueOf(max)) > 0) {
      throw meaningless(member, value, rule);
    }
    return number.toString();
  }

  private static String whole(Member member, Node value) {
    BigInteger number = wholeOrNull(member, value);
    if (number == null) {
      throw meaningless(
          member, value, "must be a whole number of at most " + MAX_DIGITS + " digits");
    }
    return number.toString();
  }

  private static @Nullable BigInteger wholeOrNull(Member member, Node value) {
    BigDecimal number = decimal(member, value).stripTrailingZeros();
    if (number.scale() > 0 || (long) number.precision() - number.scale() > MAX_DIGITS) {
      return null;
    }
    return number.toBigInteger();
  }

  private static String float32(Member member, Node value) {
    if (value.isStringNode()) {
      return notANumber(member, value, "Float");
    }
    BigDecimal number = decimal(member, value);
    float nearest = number.floatValue();
    if (Float.isInfinite(nearest)) {
      throw meaningless(
          member, value, "must be from " + -Float.MAX_VALUE + " to " + Float.MAX_VALUE);
    }
    return nearest == 0 ? zero(number) + "f" : number + "f";
  }

  private static String float64(Member member, Node value) {
    if (value.isStringNode()) {
      return notANumber(member, value, "Double");
    }
    BigDecimal number = decimal(member, value);
    double nearest = number.doubleValue();
    if (Double.isInfinite(nearest)) {
      throw meaningless(
          member, value, "must be from " + -Double.MAX_VALUE + " to " + Double.MAX_VALUE);
    }
    return nearest == 0 ? zero(number) + "d" : number + "d";
  }

  /** javac refuses a literal other than 0 that would round to 0. */
  private static String zero(BigDecimal number) {
    return number.signum() < 0 ? "-0" : "0";
  }

  private static String notANumber(Member member, Node value, String type) {
    return switch (value.expectStringNode().getValue()) {
      case "NaN" -> type + ".NaN";
      case "Infinity" -> type + ".POSITIVE_INFINITY";
      case "-Infinity" -> type + ".NEGATIVE_INFINITY";
      default ->
          throw meaningless(
              member, value, "must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    };
  }

  private static String base64(Member member, Node value) {
    try {
      byte[] bytes = Base64.getDecoder().decode(value.expectStringNode().getValue());
      return literal(Base64.getEncoder().encodeToString(bytes));
    } catch (IllegalArgumentException e) {
      throw meaningless(member, value, "must be base64");
    }
  }

  private static String instant(Member member, Node value) {
    Instant instant = value.isNumberNode() ? epochSeconds(member, value) : date(value);
    if (instant == null) {
      throw meaningless(
          member, value, "must be seconds since 1970, a date-time of RFC 3339 or an HTTP date");
    }
    // Words for who wrote words.
    if (value.isStringNode()) {
      return ".parse(" + JavaWriter.literal(instant.toString()) + ")";
    }
    String nanos = String.format(Locale.ROOT, "%,d", instant.getNano()).replace(',', '_');
    return ".ofEpochSecond("
        + instant.getEpochSecond()
        + (instant.getNano() == 0 ? "L)" : "L, " + nanos + "L)");
  }

  /** Digits past nanoseconds are cut off, as in a response. */
  private static @Nullable Instant epochSeconds(Member member, Node value) {
    BigDecimal seconds = decimal(member, value);
    if (seconds.scale() > MAX_DIGITS || (long) seconds.precision() - seconds.scale() > MAX_DIGITS) {
      return null;
    }
    BigInteger[] parts =
        seconds
            .movePointRight(9)
            .setScale(0, RoundingMode.FLOOR)
            .toBigInteger()
            .divideAndRemainder(NANOS_PER_SECOND);
    try {
      return Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValueExact());
    } catch (ArithmeticException | DateTimeException outOfRange) {
      return null;
    }
  }

  private static @Nullable Instant date(Node value) {
    String text = value.expectStringNode().getValue();
    try {
      return Instant.parse(text);
    } catch (DateTimeException notThisForm) {
      Matcher fraction = FRACTION_OF_HTTP_DATE.matcher(text);
      String nanos = fraction.find() ? fraction.group(1) : "0";
      // The reference is for years of two digits, and the same whenever this runs.
      Instant whole = HttpDate.parse(fraction.replaceFirst(" GMT"), Instant.EPOCH);
      return whole == null
          ? null
          : whole.plusNanos(new BigDecimal("0." + nanos).movePointRight(9).longValueExact());
    }
  }

  private static BigDecimal decimal(Member member, Node value) {
    return value
        .asNumberNode()
        .flatMap(NumberNode::asBigDecimal)
        .orElseThrow(() -> meaningless(member, value, "must be a number"));
  }

  private static String text(Node value) {
    return literal(value.expectStringNode().getValue());
  }

  /** Returns a string's expression: a literal, or several when javac would refuse it as one. */
  private static String literal(String text) {
    if (text.length() <= MAX_LITERAL) {
      return JavaWriter.literal(text);
    }
    List<String> literals = new ArrayList<>();
    for (int from = 0; from < text.length(); from += MAX_LITERAL) {
      literals.add(
          JavaWriter.literal(text.substring(from, Math.min(text.length(), from + MAX_LITERAL))));
    }
    // A sum of literals would be one constant again.
    return "String.join(\"\", " + String.join(", ", literals) + ")";
  }

  private static IllegalArgumentException meaningless(Member member, Node value, String rule) {
    return new IllegalArgumentException(
        member.shape().getId() + " has the default " + Node.printJson(value) + ": " + rule);
  }
}
