package dev.reprise.cli.base;

/**
 * Properties by which Java's HTTP client is set up. Its classes read them when they are loaded, so
 * the command sets them before anything else.
 */
public final class JavaHttp {
  private static final String TUNNEL_LOGINS = "jdk.http.auth.tunneling.disabledSchemes";

  private JavaHttp() {}

  /** Sets them; what the user has set stays. */
  public static void prepare() {
    if (System.getProperty(TUNNEL_LOGINS) == null) {
      // Java gives no password to a proxy of https: services; a proxy sees it with http: as well.
      System.setProperty(TUNNEL_LOGINS, "");
    }
    // A message that may have arrived must not be published again behind the user's back.
    System.setProperty("sun.net.http.retryPost", "false");
  }
}
