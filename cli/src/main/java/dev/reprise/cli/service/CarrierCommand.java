package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.CarrierDocument;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Carriers: accounts and brokers through which endpoints are reached that are not URLs. */
@Command(
    name = "carrier",
    description = {
      "Create, list, show, update, test or delete carriers.",
      "A carrier is what reaches endpoints that are not URLs: an account at an SMS centre (smpp), a"
          + " mail relay (smtp), a broker (amqp, kafka), an AWS account (aws); or a forward proxy"
          + " for those that are (proxy)."
    },
    footer = {"  ./reprise carrier show smsc"},
    subcommands = {
      CarrierCommand.Create.class,
      CarrierCommand.ListAll.class,
      CarrierCommand.Show.class,
      CarrierCommand.Update.class,
      CarrierCommand.Test.class,
      CarrierCommand.Resume.class,
      CarrierCommand.Bounced.class,
      CarrierCommand.Delete.class
    })
public final class CarrierCommand extends GroupCommand {
  private static final String PATH = "/v1/carriers";

  @Command(
      name = "create",
      description = "Create a carrier, once its settings are proven by connecting.",
      footer = {
        "  ./reprise carrier create smsc --type smpp --set addresses=smsc.example.com:2775 \\\\",
        "      --set systemId=reprise --secret password=/run/secrets/smsc",
        "  ./reprise carrier create relay --type smtp --set addresses=mail.example.com \\\\",
        "      --set from=shop@example.com"
      })
  static final class Create extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "Its name: letters, digits and - _ .")
    private String name = "";

    @Option(
        names = "--type",
        required = true,
        paramLabel = "TYPE",
        description = "The type: smpp, smtp, amqp, kafka, aws or proxy.")
    private String type = "";

    @Mixin private CarrierOptions options = new CarrierOptions();

    @Override
    public Integer call() {
      ObjectNode body = Json.object().put("name", name).put("type", type);
      options.writeTo(body, terminal());
      JsonNode carrier = root().client().send("POST", options.path(PATH), body, "name");
      if (!root().printedAsJson(carrier)) {
        terminal().line("carrier " + HarmlessText.visible(name) + " created");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "list",
      description = "List the carriers and their states.",
      footer = "  ./reprise carrier list")
  static final class ListAll extends BaseCommand {
    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages = Pages.read(root().client(), PATH, Map.of(), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      if (pages.path("items").isEmpty()) {
        terminal().note("There is no carrier. Create one: ./reprise carrier create --help");
        return ExitCode.DONE;
      }
      Table table = new Table("CARRIER", "TYPE", ">IN FLIGHT", ">CONNECTIONS", "STATE");
      for (CarrierDocument carrier : Pages.items(pages, CarrierDocument.class)) {
        CarrierDocument.State state = carrier.state();
        table.row(
            carrier.name(),
            carrier.type(),
            state.inFlight() + "/" + carrier.maxInFlight(),
            state.connections(),
            state(state));
      }
      table.print(terminal(), "");
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  private static Cell state(CarrierDocument.State state) {
    return state.working()
        ? new Cell("working", Style.GOOD)
        : new Cell(HarmlessText.visible(String.valueOf(state.fault())), Style.BAD);
  }

  @Command(
      name = "show",
      description = "Show a carrier: settings without secrets, and its state.",
      footer = "  ./reprise carrier show smsc")
  static final class Show extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().get(ApiClient.path(PATH, name), "state");
      if (root().printedAsJson(answer)) {
        return ExitCode.DONE;
      }
      CarrierDocument carrier = Json.document(answer, CarrierDocument.class);
      CarrierDocument.State state = carrier.state();
      Facts facts =
          new Facts(terminal())
              .add("carrier", new Cell(carrier.name(), Style.BOLD))
              .add("type", carrier.type())
              .add("state", state(state))
              .add("since", state.since())
              .add("in flight", state.inFlight() + " of " + carrier.maxInFlight() + " at most")
              .add("connections", state.connections())
              .add("throttle", throttle(carrier.maxPerSecond()))
              .add("created", carrier.createdAt());
      for (Map.Entry<String, JsonNode> setting : carrier.settings().properties()) {
        facts.add(setting.getKey(), HarmlessText.visible(shown(setting.getValue())));
      }
      facts.print();
      return ExitCode.DONE;
    }

    private static String throttle(@Nullable Long perSecond) {
      return perSecond == null ? "" : perSecond + " a second";
    }

    private static String shown(JsonNode value) {
      if (value.path("set").asBoolean(false)) {
        return "set, encrypted under key " + value.path("key").asString("");
      }
      return value.isString() ? value.stringValue() : Json.compact(value);
    }
  }

  @Command(
      name = "update",
      description = "Change what is named, and leave the rest.",
      footer = {
        "  ./reprise carrier update smsc --secret password=/run/secrets/smsc-new",
        "  ./reprise carrier update smsc --max-in-flight 50"
      })
  static final class Update extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Mixin private CarrierOptions options = new CarrierOptions();

    @Override
    public Integer call() {
      ObjectNode body = Json.object();
      options.writeTo(body, terminal());
      if (body.isEmpty()) {
        throw wrongUsage("there is nothing to change: name at least one setting");
      }
      JsonNode carrier =
          root().client().send("POST", options.path(ApiClient.path(PATH, name)), body, "name");
      if (!root().printedAsJson(carrier)) {
        terminal().line("carrier " + HarmlessText.visible(name) + " changed");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "resume",
      description =
          "Resume deliveries that are held because the carrier refused all of them with the same"
              + " code. Refusals are counted anew from then on.",
      footer = "  ./reprise carrier resume mail")
  static final class Resume extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode resumed =
          root()
              .client()
              .send("POST", ApiClient.path(PATH, name, "resume"), Map.of(), "", "resumed");
      if (!root().printedAsJson(resumed)) {
        terminal()
            .line(
                "carrier "
                    + HarmlessText.visible(name)
                    + (resumed.path("resumed").asBoolean()
                        ? " goes on"
                        : " held nothing that was refused alike"));
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "test",
      description = "Connect and log in as a delivery would; nothing is sent.",
      footer = "  ./reprise carrier test smsc")
  static final class Test extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer =
          root().client().send("POST", ApiClient.path(PATH, name, "test"), Map.of(), "", "working");
      CarrierDocument.Tested tested = Json.document(answer, CarrierDocument.Tested.class);
      if (!root().printedAsJson(answer)) {
        String detail = HarmlessText.visible(tested.detail());
        if (tested.working()) {
          terminal().line(detail);
        } else {
          terminal().error("carrier " + HarmlessText.visible(name) + ": " + detail);
        }
      }
      return tested.working() ? ExitCode.DONE : ExitCode.FAILED;
    }
  }

  @Command(
      name = "bounced",
      description = {
        "Hand over a bounce that a mail server has received: it becomes a part of its delivery's"
            + " history.",
        "For the mail server's pipe, such as an alias of the return path."
      },
      footer = "  ./reprise carrier bounced relay < bounce.eml")
  static final class Bounced extends BaseCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "FILE",
        description = "The message. Default: the standard input.")
    private @Nullable String file;

    @Override
    public Integer call() {
      byte[] mail = file == null ? InputFile.standardInputBytes(terminal()) : InputFile.bytes(file);
      JsonNode answer =
          root()
              .client()
              .sendBytes(
                  ApiClient.path(PATH, name, "reports"),
                  Collections.singletonMap("Content-Type", "message/rfc822"),
                  mail,
                  "known");
      if (!root().printedAsJson(answer)) {
        terminal()
            .line(
                answer.path("known").asBoolean(false)
                    ? "noted in the delivery's history"
                    : "no report on a delivery of this carrier that is still remembered");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "delete",
      description = "Delete a carrier that no subscription uses.",
      footer = "  ./reprise carrier delete smsc")
  static final class Delete extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The carrier.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().delete(ApiClient.path(PATH, name));
      if (!root().printedAsJson(answer)) {
        terminal().line("carrier " + HarmlessText.visible(name) + " deleted");
      }
      return ExitCode.DONE;
    }
  }
}
