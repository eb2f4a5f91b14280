package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.TestCertificate;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP servers of Node.js, which send interim responses and long heads when asked to. */
@Tag("slow")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeServerTest {
  private static final String SCRIPT =
      """
      const http = require('http'), http2 = require('http2'), fs = require('fs');
      const [cert, key] = process.argv.slice(1).map(name => fs.readFileSync(name));
      function filler(url) {
        const headers = {};
        for (let i = 0; i < Number(url.slice(1)) / 1000; i++) headers['x-' + i] = 'x'.repeat(990);
        return headers;
      }
      const plain = http.createServer({ keepAliveTimeout: 5000 }, (request, response) => {
        request.resume().on('end', () => {
          if (request.url === '/interim') {
            response.writeContinue();
            response.writeProcessing();
            response.writeEarlyHints({ link: '</x>; rel=preload' });
            response.writeProcessing();
            response.writeHead(200).end('taken');
          } else {
            response.writeHead(200, filler(request.url)).end('taken');
          }
        });
      });
      const secure = http2.createSecureServer({ cert, key, maxSendHeaderBlockLength: 1000000 });
      secure.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        stream.resume().on('end', () => {
          if (headers[':path'] === '/interim') {
            for (const status of [100, 102, 103, 104, 199]) {
              stream.additionalHeaders({ ':status': status });
            }
            stream.respond({ ':status': 200 });
          } else {
            stream.respond({ ':status': 200, ...filler(headers[':path']) });
          }
          stream.end('taken');
        });
      });
      plain.listen(0, '127.0.0.1', () => secure.listen(0, '127.0.0.1',
        () => console.log(plain.address().port + '\\n' + secure.address().port)));
      process.stdin.resume().on('end', () => process.exit());
      """;

  private final Vertx vertx = Vertx.vertx();
  private VertxHttpSender sender;
  private Process node;
  private String plain;
  private String secure;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "localhost", "localhost");
    try {
      node =
          new ProcessBuilder(
                  "node",
                  "-e",
                  SCRIPT,
                  "--",
                  certificate.certificatePem().toString(),
                  certificate.keyPem().toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      System.err.println("SKIPPED: node is not installed (apt-get install nodejs)");
      abort("node is not installed");
    }
    var lines = new BufferedReader(new InputStreamReader(node.getInputStream(), UTF_8));
    plain = "http://127.0.0.1:" + lines.readLine();
    secure = "https://localhost:" + lines.readLine();
    sender =
        new VertxHttpSender(
            vertx,
            new VettedResolver(
                new ScriptedLookup(), AddressGuard.allowing(true, List.of()), System::nanoTime),
            HttpSenderSettings.DEFAULT
                .withConnectTimeout(LONG)
                .withTrustedCertificates(certificate.certificatePem()));
  }

  @AfterAll
  void stop() throws Exception {
    if (node != null) {
      node.destroy();
      sender.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @CsvSource({"false, /interim", "true, /interim", "false, /60000", "true, /60000"})
  void anAnswerIsTaken(boolean http2, String path) throws Exception {
    for (int i = 0; i < 3; i++) {
      Response response = (Response) send(http2, path);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("taken");
      assertThat(response.note()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theStatusOfAHeadBeyondTheLimitIsTaken(boolean http2) throws Exception {
    for (int i = 0; i < 2; i++) {
      Response response = (Response) send(http2, "/100000");
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.note()).contains("more than 65536 bytes");
    }
  }

  @Test
  void anHttp2HeadBeyondAllLimitsHasAReasonOfItsOwn() throws Exception {
    long before = sender.figures().cutHeads();
    for (int bytes : new int[] {265_000, 350_000}) {
      assertThat(((ConnectionFailed) send(true, "/" + bytes)).detail())
          .contains("sent a response whose head has more than 262144 bytes");
    }
    assertThat(sender.figures().cutHeads() - before).isEqualTo(2);
    assertThat(((Response) send(true, "/1000")).status()).isEqualTo(200);
  }

  private HttpOutcome send(boolean http2, String path) throws Exception {
    String url = (http2 ? secure : plain) + path;
    return Sending.send(
        sender,
        attempt(EndpointUrl.parse(url, AddressGuard.allowing(true, List.of())).url(), LONG));
  }
}
