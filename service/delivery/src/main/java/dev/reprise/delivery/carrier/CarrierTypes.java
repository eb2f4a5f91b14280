package dev.reprise.delivery.carrier;

import dev.reprise.policy.document.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The kinds of carriers that this program knows, by name. Immutable; thread-safe. */
public final class CarrierTypes {
  private final Map<String, CarrierType<?>> types = new TreeMap<>();

  /** Kinds of carriers whose names differ. */
  public CarrierTypes(Iterable<? extends CarrierType<?>> all) {
    for (CarrierType<?> type : all) {
      if (types.put(type.name(), type) != null) {
        throw new IllegalArgumentException("two kinds of carriers are called " + type.name());
      }
    }
  }

  /** Returns those on the class path. */
  public static CarrierTypes ofThisProgram() {
    List<CarrierType<?>> found = new ArrayList<>();
    for (CarrierType<?> type : ServiceLoader.load(CarrierType.class)) {
      found.add(type);
    }
    return new CarrierTypes(found);
  }

  /** Returns the kind with this name; null if there is none. */
  public @Nullable CarrierType<?> find(String name) {
    return types.get(name);
  }

  /** Returns all kinds, by name. */
  public Collection<CarrierType<?>> all() {
    return types.values();
  }

  /** Returns the names of all kinds. */
  public List<String> names() {
    return List.copyOf(types.keySet());
  }

  /** Returns the names of the settings of a kind that are secrets; none for an unknown kind. */
  public List<String> secretsOf(String name) {
    CarrierType<?> type = types.get(name);
    return type == null
        ? List.of()
        : type.settings().fields().stream()
            .filter(field -> field.codec().schema().path("writeOnly").asBoolean(false))
            .map(Field::name)
            .toList();
  }
}
