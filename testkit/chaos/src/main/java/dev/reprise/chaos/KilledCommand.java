package dev.reprise.chaos;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A command of the program in a process of its own, which ends by kill -9 as it comes to a place of
 * its code. A debugger stops it there: all of its threads stand still, and what it has sent has
 * been sent.
 */
final class KilledCommand {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String LOOPBACK = "127.0.0.1";

  /** A port that nobody has. */
  private static final String ANY_PORT = "0";

  private final Place place;
  private int times;

  /**
   * A place of the code: the beginning of a method.
   *
   * @param step what the command is about to do there
   * @param type the full name of the class
   * @param method the name of the method, or of several
   * @param times at which call it ends, from 1
   */
  record Place(String step, String type, String method, int times) {}

  /** The end of a run. */
  enum End {
    /** It was killed at the place. */
    KILLED,
    /** It has failed before it came there, as it may on a machine that is slow. */
    FAILED,
    /** It has done everything, and has not come there. */
    DONE
  }

  private KilledCommand(Place place) {
    this.place = place;
  }

  private static void set(Map<String, Connector.Argument> arguments, String name, String value) {
    Objects.requireNonNull(arguments.get(name), name).setValue(value);
  }

  /**
   * Runs a command until it comes to a place.
   *
   * @param log what it says is appended to this file
   * @throws IllegalStateException if it neither comes there nor ends
   */
  static End run(List<String> words, Place place, Path log)
      throws IOException, InterruptedException {
    ListeningConnector connector = connector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    set(arguments, "localAddress", LOOPBACK);
    set(arguments, "port", ANY_PORT);
    set(arguments, "timeout", Long.toString(PATIENCE.toMillis()));
    Process process = null;
    try {
      String address = connector.startListening(arguments);
      VirtualMachine machine;
      try {
        process = start(words, address, log);
        machine = connector.accept(arguments);
      } finally {
        connector.stopListening(arguments);
      }
      if (new KilledCommand(place).isReached(machine)) {
        return End.KILLED;
      }
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            String.join(" ", words) + " has not come to " + place + "; see " + log);
      }
      return process.exitValue() == 0 ? End.DONE : End.FAILED;
    } catch (IllegalConnectorArgumentsException e) {
      throw new IllegalStateException(e);
    } finally {
      if (process != null) {
        process.destroyForcibly().onExit().join();
      }
    }
  }

  private static ListeningConnector connector() {
    return Bootstrap.virtualMachineManager().listeningConnectors().stream()
        .filter(each -> each.transport().name().equals("dt_socket"))
        .findFirst()
        .orElseThrow();
  }

  private static Process start(List<String> words, String address, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // If this process ends first, the other one goes on, and ends by itself.
    command.add("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=" + address);
    command.addAll(StartedProcess.quick());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("dev.reprise.cli.Main");
    command.addAll(words);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  /** Lets it go on until it stands at the place; whether it has come there. */
  private boolean isReached(VirtualMachine machine) throws InterruptedException {
    ClassPrepareRequest prepared = machine.eventRequestManager().createClassPrepareRequest();
    prepared.addClassFilter(place.type());
    prepared.setSuspendPolicy(EventRequest.SUSPEND_ALL);
    prepared.enable();
    try {
      while (true) {
        EventSet events = machine.eventQueue().remove(PATIENCE.toMillis());
        if (events == null) {
          return false;
        }
        for (Event each : events) {
          if (each instanceof VMDisconnectEvent) {
            return false;
          } else if (each instanceof ClassPrepareEvent loaded) {
            stopAt(loaded);
          } else if (each instanceof BreakpointEvent && ++times == place.times()) {
            return true;
          }
        }
        events.resume();
      }
    } catch (VMDisconnectedException e) {
      return false;
    }
  }

  private void stopAt(ClassPrepareEvent loaded) {
    for (Method each : loaded.referenceType().methodsByName(place.method())) {
      // A bridge calls the method itself, which would count twice.
      if (!each.isBridge() && each.location() != null) {
        loaded
            .virtualMachine()
            .eventRequestManager()
            .createBreakpointRequest(each.location())
            .enable();
      }
    }
  }
}
