package dev.reprise.device.transport.http;

import java.net.URI;
import java.net.http.HttpHeaders;

/**
 * The answer to a request.
 *
 * @param asked where the request went
 * @param status the status
 * @param headers the headers
 * @param said the beginning of the body, as far as it came
 */
record HttpAnswer(URI asked, int status, HttpHeaders headers, String said) {}
