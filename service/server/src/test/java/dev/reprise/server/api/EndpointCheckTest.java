package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.http.ApiError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointCheckTest {
  private static final String URL = "https://user:hunter2@hooks.example/a";

  @ParameterizedTest
  @ValueSource(strings = {"did not answer", "answered SERVFAIL", "did not answer in 5 s"})
  void aNameServerThatIsSilentIsNoInvalidEndpoint(String fault) {
    ApiError error =
        EndpointCheck.failure(
                "endpoint",
                URL,
                "endpoint: host 'hooks.example' cannot be resolved: the name server " + fault)
            .error();
    assertThat(error.status()).isEqualTo(503);
    assertThat(error.code()).isEqualTo("name_server_silent");
    assertThat(error.headers()).containsEntry("Retry-After", "5");
    assertThat(error.message()).contains("hooks.example", fault).doesNotContain("hunter2");
  }

  @Test
  void aNameThatDoesNotExistIsInvalid() {
    ApiError error =
        EndpointCheck.failure(
                "endpoint",
                URL,
                "endpoint: host 'hooks.example' cannot be resolved: the name does not exist")
            .error();
    assertThat(error.status()).isEqualTo(400);
    assertThat(error.code()).isEqualTo("invalid");
  }
}
