package dev.reprise.lab.scenario;

import java.math.BigDecimal;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The written form of a rate: {@code 5000/s}, {@code 30/min}, {@code 2.5/h}. */
public final class RateText {
  /** The rule for a text. */
  public static final String RULE = "must be a text such as 5000/s, 30/min or 2.5/h";

  private static final Pattern FORM =
      Pattern.compile(
          "(?<amount>[0-9]{1,15}(?:\\.[0-9]{1,17})?(?:E-?[0-9]{1,3})?)/(?<unit>s|min|h)");

  private RateText() {}

  /** Returns how much it is a second, at least 0, or nothing when the text is not a rate. */
  public static OptionalDouble read(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return OptionalDouble.empty();
    }
    double amount = Double.parseDouble(matcher.group("amount"));
    double perSecond =
        switch (matcher.group("unit")) {
          case "s" -> amount;
          case "min" -> amount / 60;
          default -> amount / 3600;
        };
    return Double.isFinite(perSecond) ? OptionalDouble.of(perSecond) : OptionalDouble.empty();
  }

  /** Returns the text that {@link #read} reads back to the very same number. */
  public static String write(double perSecond) {
    String shortest =
        new BigDecimal(Double.toString(perSecond)).stripTrailingZeros().toPlainString();
    boolean plain = FORM.matcher(shortest + "/s").matches();
    return (plain ? shortest : Double.toString(perSecond)) + "/s";
  }
}
