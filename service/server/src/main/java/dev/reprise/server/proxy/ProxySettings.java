package dev.reprise.server.proxy;

/**
 * The settings of what stands before the service.
 *
 * @param publicUrl where clients reach the service
 * @param trusted whose word counts for where a request comes from
 */
public record ProxySettings(PublicUrl publicUrl, TrustedProxies trusted) {
  /** No proxy is known. */
  public static final ProxySettings NONE = new ProxySettings(PublicUrl.NONE, TrustedProxies.NONE);
}
