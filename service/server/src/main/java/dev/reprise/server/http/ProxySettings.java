package dev.reprise.server.http;

/**
 * What the operator says of proxies that stand before the service.
 *
 * @param publicUrl where clients reach the service
 * @param trusted whose word counts for where a request comes from
 */
public record ProxySettings(PublicUrl publicUrl, TrustedProxies trusted) {
  /** No proxy is known. */
  public static final ProxySettings NONE = new ProxySettings(PublicUrl.NONE, TrustedProxies.NONE);
}
