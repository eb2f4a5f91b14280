package dev.reprise.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrows between packages: none leads back. */
class RoomsTest {
  private static JavaClasses classes;

  @BeforeAll
  static void read() {
    // The predefined option for this knows folders of the name target alone.
    ImportOption mainOnly = location -> !location.contains("/test-classes/");
    classes = new ClassFileImporter().withImportOption(mainOnly).importPackages("dev.reprise");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"core", "policy", "lab", "device", "delivery", "cluster", "server", "cli"})
  void roomsOfAModuleKnowNoRoomThatKnowsThem(String module) {
    slices().matching("dev.reprise." + module + ".(**)").should().beFreeOfCycles().check(classes);
  }

  @Test
  void modulesKnowNoModuleThatKnowsThem() {
    slices().matching("dev.reprise.(*)..").should().beFreeOfCycles().check(classes);
  }
}
