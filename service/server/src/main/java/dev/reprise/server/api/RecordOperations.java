package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.ownership.TopicRecords;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.server.document.RecordDocument;
import dev.reprise.server.document.SkippedDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RecordId;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.openapi.ServiceDescriptions;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Single records from which shards take messages: what they are, and past which a shard goes. */
final class RecordOperations {
  private static final String ONE = "/v1/cluster/records/{id}";
  private static final int MAX_TEXT_BYTES = 200;
  private static final int MAX_HEX_BYTES = 32;

  private final ClusterView cluster;

  RecordOperations(ClusterView cluster) {
    this.cluster = cluster;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.OPERATE, Place.ANYWHERE, "GET", ONE, this::show)
            .described(ServiceDescriptions.GET_RECORD),
        Routes.reading(Use.OPERATOR_CHANGE, Place.RECORD, "POST", ONE + "/skip", this::skip)
            .described(ServiceDescriptions.SKIP_RECORD));
  }

  private RecordId id(Call call) {
    call.query();
    String text = call.path("id");
    RecordId id = RecordId.readOrNull(text);
    if (id == null) {
      throw ApiException.invalid("id", RequestFields.shortened(text), RecordId.RULE);
    }
    return id;
  }

  private void requireShard(RecordId id) {
    if (id.shard() >= cluster.shards()) {
      throw new NotFoundException("shard", String.valueOf(id.shard()));
    }
  }

  private Answer show(Call call) {
    RecordId id = id(call);
    TopicRecords records = cluster.records();
    requireShard(id);
    TopicRecords.Place place = records.show(id.open(), id.shard(), id.offset());
    return Answer.json(
        200,
        new RecordDocument(
            id.text(),
            place.topic(),
            place.partition(),
            place.offset(),
            place.begin(),
            place.end(),
            place.meaning(),
            content(place.record())));
  }

  private static RecordDocument.@Nullable Content content(TopicRecords.@Nullable Content record) {
    return record == null
        ? null
        : new RecordDocument.Content(
            Times.text(record.appendedMillis()),
            record.keyBytes() < 0 ? null : (long) record.keyBytes(),
            record.valueBytes() < 0 ? null : (long) record.valueBytes(),
            record.headers().stream()
                .map(each -> new RecordDocument.Header(each.name(), text(each.value())))
                .toList());
  }

  private static @Nullable String text(byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
      if (text.codePoints().noneMatch(Character::isISOControl)) {
        return text.length() <= MAX_TEXT_BYTES ? text : text.substring(0, MAX_TEXT_BYTES) + "…";
      }
    } catch (CharacterCodingException e) {
      // Shown as bytes.
    }
    boolean all = value.length <= MAX_HEX_BYTES;
    byte[] shown = all ? value : Arrays.copyOf(value, MAX_HEX_BYTES);
    return "0x" + HexFormat.of().formatHex(shown) + (all ? "" : "…");
  }

  private Answer skip(Call call) {
    RecordId id = id(call);
    if (id.open()) {
      throw ApiException.invalid(
          "id",
          id.text(),
          "must be of the topic of nodes, such as in-3@17: no shard stands at others");
    }
    TopicRecords records = cluster.records();
    requireShard(id);
    try {
      records.skip(id.shard(), id.offset());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ShardElsewhereException(id.shard(), "was not waited for");
    }
    return Answer.json(200, new SkippedDocument(id.text(), id.shard()));
  }
}
