package dev.reprise.delivery.catalog;

/** What was asked for does not exist. */
public final class NotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String kind;

  /** There is no {@code kind} called {@code name}. */
  public NotFoundException(String kind, String name) {
    super("there is no " + kind + " '" + name + "'");
    this.kind = kind;
  }

  /** What was looked for: {@code topic}, {@code subscription} or {@code delivery}. */
  public String kind() {
    return kind;
  }
}
