/** The vocabulary of retries; needs nothing but {@code java.base}. */
module dev.reprise.core {
  requires static org.jspecify;
}
