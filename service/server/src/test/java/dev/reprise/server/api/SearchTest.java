package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
