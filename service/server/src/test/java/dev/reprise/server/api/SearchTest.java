package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Lists of topics and subscriptions, searched by text. */
@Tag("slow")
class SearchTest {
  @Test
  void listsAreSearchedPageByPage(@TempDir Path folder) {
    try (RunningService api = RunningService.dev(folder)) {
      for (String topic : List.of("search-One", "search-two", "search-none")) {
        api.put("/v1/topics/" + topic, "{}");
      }
      String url = "http://127.0.0.1:1/Warehouse";
      String first = api.subscribe("search-One", "{\"endpoint\":\"" + url + "\"}");
      String second = api.subscribe("search-two", "{\"endpoint\":\"" + url + "\"}");
      String third = api.subscribe("search-two", "{\"endpoint\":\"http://127.0.0.1:1/x\"}");
      api.post("/v1/subscriptions/" + second + "/suspend", "{}");

      assertThat(api.all("/v1/topics?limit=1&search=SEARCH-", "name"))
          .containsExactly("search-One", "search-none", "search-two");
      assertThat(api.all("/v1/topics?search=search-o", "name")).containsExactly("search-One");
      String list = "/v1/subscriptions?limit=1&search=";
      assertThat(api.all(list + "warehouse", "id")).containsExactly(first, second);
      assertThat(api.all(list + "search-TWO", "id")).containsExactly(second, third);
      assertThat(api.all(list + "warehouse&suspended=true", "id")).containsExactly(second);
      assertThat(api.all(list + "search-two&suspended=false", "id")).containsExactly(third);
      assertThat(api.all(list + "warehouse&topic=search-One", "id")).containsExactly(first);
      assertThat(api.all(list + "nobody-has-this", "id")).isEmpty();
      assertThat(api.get("/v1/topics?search=" + "a".repeat(257)).fields())
          .containsExactly("search");
    }
  }

  @Test
  void aLabellingIsShownFoundAndRemoved(@TempDir Path folder) {
    try (RunningService api = RunningService.dev(folder)) {
      api.put("/v1/topics/orders", "{}");
      String endpoint = "\"endpoint\":\"http://127.0.0.1:1/\",\"startSuspended\":true";
      String acme =
          api.subscribe(
              "orders",
              "{"
                  + endpoint
                  + ",\"name\":\"Acme, Orders\",\"customer\":\"c-42\","
                  + "\"labels\":{\"team\":\"billing\",\"region\":\"eu:west=1\"}}");
      String other =
          api.subscribe(
              "orders",
              "{" + endpoint + ",\"customer\":\"c-4\",\"labels\":{\"team\":\"billing\"}}");
      String plain = api.subscribe("orders", "{" + endpoint + "}");
      String list = "/v1/subscriptions?limit=1&";

      assertThat(api.all(list + "customer=c-42", "id")).containsExactly(acme);
      assertThat(api.all(list + "customer=C-42", "id")).isEmpty();
      assertThat(api.all(list + "label=team:billing", "id")).containsExactly(acme, other);
      assertThat(api.all(list + "label=team%3Dbilling&label=region:eu:west%3D1", "id"))
          .containsExactly(acme);
      assertThat(api.all(list + "label=team:bill", "id")).isEmpty();
      assertThat(api.all(list + "search=acme", "id")).containsExactly(acme);
      assertThat(api.all(list + "search=C-4", "id")).containsExactly(acme, other);
      assertThat(api.all(list + "search=BILL&label=region:eu:west%3D1", "id"))
          .containsExactly(acme);
      assertThat(api.get("/v1/subscriptions?label=team").fields()).containsExactly("label");
      assertThat(api.get("/v1/subscriptions?" + "label=a:b&".repeat(21)).fields())
          .containsExactly("label");
      assertThat(api.get("/v1/subscriptions?customer=a&customer=b").fields())
          .containsExactly("customer");

      JsonNode shown = api.get("/v1/subscriptions/" + acme).json();
      assertThat(shown.get("name").asString()).isEqualTo("Acme, Orders");
      assertThat(shown.get("customer").asString()).isEqualTo("c-42");
      assertThat(shown.get("labels"))
          .hasToString("{\"region\":\"eu:west=1\",\"team\":\"billing\"}");
      api.publish("orders", "{\"body\":1}");
      JsonNode delivery = api.get("/v1/deliveries?subscription=" + acme).json().get("items").get(0);
      assertThat(delivery.get("subscriptionName").asString()).isEqualTo("Acme, Orders");
      assertThat(delivery.get("customer").asString()).isEqualTo("c-42");
      assertThat(api.get("/v1/deliveries?subscription=" + plain).text())
          .doesNotContain("subscriptionName", "customer");

      String change = "{\"name\":null,\"labels\":{\"team\":\"sales\"},\"customer\":null}";
      JsonNode changed = api.post("/v1/subscriptions/" + acme, change).json();
      assertThat(changed.has("name") || changed.has("customer")).as("%s", changed).isFalse();
      assertThat(changed.get("labels")).hasToString("{\"team\":\"sales\"}");
      assertThat(api.post("/v1/subscriptions/" + acme, "{\"labels\":{\"a b\":\"\"}}").fields())
          .containsExactly("labels");
    }
  }
}
