package dev.reprise.smithy.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.ShapeId;

class TypeNamesTest {
  private static final List<String> TAKEN = List.of("HttpError", "Blob");

  @Test
  void theNameComesFromTheShape() {
    TypeNames names = names("a.b#NoSuchCity", "a.b#lowerCase", "a.b#With_Underscore");

    assertThat(names.of(ShapeId.from("a.b#NoSuchCity"))).isEqualTo("NoSuchCity");
    assertThat(names.of(ShapeId.from("a.b#lowerCase"))).isEqualTo("LowerCase");
    assertThat(names.of(ShapeId.from("a.b#With_Underscore"))).isEqualTo("WithUnderscore");
  }

  @Test
  void namesOfJavaAndOfOurOwnFilesAreLeftAlone() {
    TypeNames names = names("a#Object", "a#string", "a#httperror", "a#Blob", "a#Duration");

    assertThat(names.all())
        .containsExactlyInAnyOrder(
            "ObjectShape", "StringShape", "HttperrorShape", "BlobShape", "Duration");
  }

  @Test
  void allThatShareANameGetTheirNamespaceInFront() {
    TypeNames names = names("shop.orders#Conflict", "shop.billing#conflict", "shop.billing#Other");

    assertThat(names.of(ShapeId.from("shop.orders#Conflict"))).isEqualTo("ShopOrdersConflict");
    assertThat(names.of(ShapeId.from("shop.billing#conflict"))).isEqualTo("ShopBillingConflict");
    assertThat(names.of(ShapeId.from("shop.billing#Other"))).isEqualTo("Other");
  }

  @Test
  void whatIsStillTheSameIsNumbered() {
    assertThat(names("a#Same", "a#same_", "a#Same__").all())
        .containsExactlyInAnyOrder("ASame", "ASame2", "ASame3");
  }

  @Test
  void theOrderOfTheShapesDoesNotMatter() {
    List<String> shapes =
        new ArrayList<>(List.of("a.b#Same", "a.b#same_", "c#Same", "c#Object", "c#ObjectShape"));
    TypeNames forwards = names(shapes.toArray(String[]::new));
    Collections.reverse(shapes);
    TypeNames backwards = names(shapes.toArray(String[]::new));

    for (String shape : shapes) {
      ShapeId id = ShapeId.from(shape);
      assertThat(forwards.of(id)).isEqualTo(backwards.of(id));
    }
    assertThat(forwards.all()).hasSize(shapes.size());
  }

  @Test
  void aServiceMayRenameItsShapes() {
    ServiceShape service =
        ServiceShape.builder()
            .id("a#Service")
            .putRename(ShapeId.from("a#Error"), "Failure")
            .build();

    TypeNames names = TypeNames.of(List.of(ShapeId.from("a#Error")), service, TAKEN);

    assertThat(names.all()).containsExactly("Failure");
  }

  @Test
  void whatIsOfTheServicesOwnNamespaceKeepsItsName() {
    ServiceShape service = ServiceShape.builder().id("home#Service").build();
    List<ShapeId> shapes = List.of(ShapeId.from("home#Conflict"), ShapeId.from("away#Conflict"));

    TypeNames names = TypeNames.of(shapes, service, TAKEN);

    assertThat(names.of(shapes.get(0))).isEqualTo("Conflict");
    assertThat(names.of(shapes.get(1))).isEqualTo("AwayConflict");
    assertThat(names.keeps(shapes.get(0), service)).isTrue();
    assertThat(names.keeps(shapes.get(1), service)).isFalse();
  }

  @Test
  void servicesOfOneNameHaveCompanionsOfTheirOwn() {
    ServiceShape first = ServiceShape.builder().id("a#Weather").build();
    ServiceShape second = ServiceShape.builder().id("b#weather").build();

    assertThat(TypeNames.companions(List.of(first)).values()).containsExactly("WeatherHttpErrors");
    assertThat(TypeNames.companions(List.of(first, second)).values())
        .containsExactly("AWeatherHttpErrors", "BWeatherHttpErrors");
  }

  @Test
  void noClassHidesOneThatGeneratedCodeUses() throws Exception {
    Pattern word = Pattern.compile("\\b[A-Z][A-Za-z]+\\b");
    try (Stream<Path> files = Files.walk(Path.of("src/test/resources/golden"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        word.matcher(Files.readString(file))
            .results()
            .map(MatchResult::group)
            .distinct()
            .filter(TypeNamesTest::isOfJavaLang)
            .forEach(name -> assertThat(names("a#" + name).all()).containsExactly(name + "Shape"));
      }
    }
  }

  private static boolean isOfJavaLang(String name) {
    try {
      Class.forName("java.lang." + name);
      return true;
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return false;
    }
  }

  @Test
  void aShapeThatWasNotNamedIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> names("a#B").of(ShapeId.from("a#C")))
        .withMessage("a#C has no class");
  }

  private static TypeNames names(String... shapes) {
    return TypeNames.of(Arrays.stream(shapes).map(ShapeId::from).toList(), null, TAKEN);
  }
}
