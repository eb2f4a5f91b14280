package dev.reprise.delivery.catalog;

/** Thrown when a topic, a subscription or a delivery does not exist. */
public final class NotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String kind;

  /** There is no {@code kind} called {@code name}. */
  public NotFoundException(String kind, String name) {
    super("there is no " + kind + " '" + name + "'");
    this.kind = kind;
  }

  /**
   * Returns the kind of the missing thing: {@code topic}, {@code subscription} or {@code delivery}.
   */
  public String kind() {
    return kind;
  }
}
