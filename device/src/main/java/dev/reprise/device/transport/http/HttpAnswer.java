package dev.reprise.device.transport.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;

/**
 * The answer to a request.
 *
 * @param asked where the request went
 * @param status the status
 * @param headers the headers
 * @param said the beginning of the body, as far as it came
 */
record HttpAnswer(URI asked, int status, HttpHeaders headers, String said) {}
