package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.server.serve.Service;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of a cluster as far as they need no broker. */
class ClusterCommandTest {
  @TempDir Path temp;

  private CommandRun.Result restore(String... args) throws Exception {
    String[] all = new String[args.length + 6];
    String[] begin = {
      "cluster", "restore-topic", "--data", temp.toString(), "--cluster", "127.0.0.1:1"
    };
    System.arraycopy(begin, 0, all, 0, begin.length);
    System.arraycopy(args, 0, all, begin.length, args.length);
    return new CommandRun().execute(all);
  }

  @Test
  void what_is_gone_for_good_has_to_be_accepted() throws Exception {
    CommandRun.Result intake = restore("in");
    assertThat(intake.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(intake.err())
        .contains(
            "topic reprise.in: no folder has a copy of it: what was accepted and had not been"
                + " taken in is gone. To begin it anew, add --accept-loss");

    assertThat(restore("events", "--cluster-name", "other").err())
        .contains("topic other.events: no folder has a copy of it");
  }

  @Test
  void what_cannot_be_restored_is_refused() throws Exception {
    assertThat(restore("shards", "--accept-loss").err())
        .contains("is no data folder: there is no store in it");
    assertThat(restore("none").err())
        .contains("topic none: must be one of [in, shards, catalog, events, open]");
    assertThat(restore("catalog").err()).contains("is no data folder: there is no store in it");
    assertThat(restore("in", "--cluster-name", "a b").err())
        .contains("--cluster-name is a b: must");

    CommandRun.Result inProcess =
        CommandRun.run("cluster", "restore-topic", "in", "--data", "d", "--cluster", "embedded");
    assertThat(inProcess.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(inProcess.err()).contains("--cluster is embedded: must be HOST:PORT,...");
  }

  @Test
  void a_single_service_has_lost_nothing() throws Exception {
    Service service = DevService.start(temp);
    try {
      CommandRun.Result result =
          new CommandRun().with("REPRISE_URL", service.baseUrl()).execute("cluster", "acknowledge");
      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(result.out()).contains("There is nothing to acknowledge.");

      assertThat(new CommandRun().with("REPRISE_URL", service.baseUrl()).execute("cluster").out())
          .contains("This service is no node of a cluster.");
    } finally {
      service.close();
    }
  }
}
