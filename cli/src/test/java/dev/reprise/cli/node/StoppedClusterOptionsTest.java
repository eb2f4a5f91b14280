package dev.reprise.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.StoreException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class StoppedClusterOptionsTest {
  private final TimeoutException silence = new TimeoutException("no answer");

  private final StoppedClusterOptions options = new StoppedClusterOptions();

  @Test
  void a_command_that_brokers_broke_off_is_to_be_run_again() {
    assertThat(options.failed(silence))
        .hasMessageContaining("no answer")
        .hasMessageEndingWith(". Run it again: it goes on");
    assertThat(
            options.failed(new StoreException("the brokers did not take a turn", false, silence)))
        .hasMessageContaining("no answer")
        .hasMessageEndingWith(". Run it again: it goes on");
  }

  @Test
  void a_command_that_something_else_broke_off_says_what() {
    assertThat(options.failed(StoreException.lost("it was fenced", silence)))
        .hasMessage("it was fenced");
    assertThat(options.failed(new StoreException("the folder is damaged", false, null)))
        .hasMessage("the folder is damaged");
  }
}
