package dev.reprise.probe;

import dev.reprise.core.classify.Classifier;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeoutException;

/**
 * Prints verdicts. It is run by MissingModulesTest in a JVM of its own, and lives in a package of
 * its own because no package can be in the module and on the class path at once.
 */
final class ClassifyingProgram {
  private ClassifyingProgram() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    print(new IOException("x"));
    print(new ConnectException("x"));
    print(new TimeoutException("x"));
    print(new IllegalStateException("x"));
    printIfPresent("java.net.http.HttpTimeoutException");
    printIfPresent("java.sql.SQLTransientException");
  }

  private static void printIfPresent(String type) throws ReflectiveOperationException {
    try {
      Class<? extends Throwable> present = Class.forName(type).asSubclass(Throwable.class);
      print(present.getConstructor(String.class).newInstance("x"));
    } catch (ClassNotFoundException absent) {
      System.out.println(type + " absent");
    }
  }

  private static void print(Throwable failure) {
    System.out.println(
        failure.getClass().getName() + " " + Classifier.defaults().classify(failure).isRetrySafe());
  }
}
