package dev.reprise.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.bench.common.Folders;
import dev.reprise.cluster.broker.ReservedPort;
import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster in a process of its own, as {@code ./reprise serve --cluster} starts it, on a
 * port that stays the same. What it says is appended to {@code NAME.log} beside its data folder.
 * One thread has it do things; any may ask.
 */
public final class NodeProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String FIRST_KEY = "first-api-key";

  private final ReservedPort port = new ReservedPort("127.0.0.1");
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final ClusterSpec spec;
  private final String name;
  private final Path folder;

  private String host = "127.0.0.1";
  private List<String> prefix = List.of();
  private Map<String, String> environment = Map.of();
  private volatile String key = "";
  private volatile @Nullable StartedProcess process;
  private volatile @Nullable StoppedProcess stopped;
  private volatile boolean cutOff;
  private volatile boolean alone;

  /** A node that does not run yet; its data is in {@code NAME/data} of a folder. */
  public NodeProcess(ClusterSpec spec, String name, Path folder) {
    this.spec = spec;
    this.name = name;
    this.folder = folder;
  }

  /**
   * From the next start on, the node runs by another command, such as {@code ip netns exec x}, on
   * an address of its own.
   */
  public void runBy(List<String> command, String address) {
    prefix = List.copyOf(command);
    host = address;
  }

  /** From the next start on, the node has more variables of its environment. */
  public void environment(Map<String, String> more) {
    environment = Map.copyOf(more);
  }

  /**
   * From the next start on, it is a service without a cluster, on a folder of its own; or a node
   * again.
   */
  public void serveAlone(boolean now) {
    alone = now;
  }

  /** From now on requests are sent with an API key; empty for none. */
  public void useKey(String wanted) {
    key = wanted;
  }

  /** Returns the API key that the first node of a cluster has made; empty if it has not. */
  public String firstKey() throws IOException {
    Path file = data().resolve(FIRST_KEY);
    return Files.exists(file) ? Files.readString(file, UTF_8).strip() : "";
  }

  /** Returns the headers that a request of an operator needs. */
  public Map<String, String> authorization() {
    return key.isEmpty() ? Map.of() : Map.of("Authorization", "Bearer " + key);
  }

  /** Returns the name, which {@code --node} gives. */
  public String name() {
    return name;
  }

  /** Returns the address of its API. */
  public String url() {
    return "http://" + host + ":" + port.number();
  }

  /** Returns the folder that has its folders with data, and nothing else. */
  public Path disk() {
    return folder.resolve(name);
  }

  /** Returns the folder with its data. */
  public Path data() {
    return disk().resolve(alone ? "service" : "data");
  }

  /** Returns the id of its process; -1 if there is none. */
  public long pid() {
    StartedProcess running = process;
    return running == null || !running.isAlive() ? -1 : running.process().pid();
  }

  /** Returns whether its process is there, stopped or not. */
  public boolean isAlive() {
    return pid() >= 0;
  }

  /** Returns whether it runs, and was neither paused nor cut off. */
  public boolean isReachable() {
    return isAlive() && stopped == null && !cutOff;
  }

  /** Says that nothing reaches it any more, or that it can be reached again. */
  public void cutOff(boolean now) {
    cutOff = now;
  }

  /** Starts it on what its folder has, and does not wait. */
  public void launch() throws IOException {
    if (isAlive()) {
      throw new IllegalStateException(name + " runs");
    }
    Files.createDirectories(disk());
    List<String> command = new ArrayList<>();
    command.add("serve");
    command.addAll(List.of("--host", host, "--port", Integer.toString(port.number())));
    command.addAll(List.of("--data", data().toString()));
    command.addAll(List.of("--shards", Integer.toString(spec.shards())));
    if (!alone) {
      command.addAll(List.of("--cluster", spec.brokers(), "--cluster-name", spec.name()));
      command.addAll(List.of("--node", name, "--node-url", url()));
      command.addAll(List.of("--replication", Integer.toString(spec.replication())));
      command.addAll(List.of("--followers", Integer.toString(spec.followers())));
      command.addAll(List.of("--session", spec.session().toMillis() + "ms"));
    }
    command.addAll(spec.options());
    ProcessBuilder builder = builder(spec.flags(), command);
    builder.environment().putAll(environment);
    process = StartedProcess.start(name, builder, log());
  }

  /** Returns what runs a command of the program where this node runs, and adds to its log. */
  private ProcessBuilder builder(List<String> flags, List<String> words) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(StartedProcess.java(flags, "dev.reprise.cli.Main", words));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
  }

  /** Starts it on what its folder has, and waits until it serves. */
  public void start() throws IOException, InterruptedException {
    launch();
    awaitReady();
  }

  /** Waits until it says that it is ready. */
  public void awaitReady() {
    running().await(PATIENCE, name + " is ready", this::isReady);
  }

  /** Returns whether it says that it is ready. */
  public boolean isReady() throws InterruptedException {
    if (!isAlive()) {
      return false;
    }
    try {
      return request("GET", "/health/ready", "", Duration.ofSeconds(2)).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends it as kill -9 does. */
  public void kill() {
    ended();
  }

  /** Asks it to end (SIGTERM) if it runs, and does not wait. */
  public void askToEnd() {
    StartedProcess running = process;
    if (running != null) {
      running.askToEnd();
    }
  }

  /** Asks it to end (SIGTERM), and waits for that; the exit code. */
  public int terminate() throws InterruptedException {
    running().askToEnd();
    return awaitEnd();
  }

  /** Waits until it has ended by itself; the exit code. */
  public int awaitEnd() throws InterruptedException {
    int exitCode = running().awaitEnd(PATIENCE);
    ended();
    return exitCode;
  }

  private StartedProcess running() {
    StartedProcess running = process;
    if (running == null) {
      throw new IllegalStateException(name + " does not run");
    }
    return running;
  }

  /** Runs another command of the program where this node runs, and waits until it is done. */
  public void command(List<String> words) throws IOException, InterruptedException {
    String what = String.join(" ", words);
    try (StartedProcess started =
        StartedProcess.start(what, builder(StartedProcess.quick(), words), log())) {
      if (started.awaitEnd(PATIENCE) != 0) {
        throw new IllegalStateException(what + " has failed; " + said());
      }
    }
  }

  private void ended() {
    StartedProcess ended = process;
    process = null;
    if (ended != null) {
      ended.close();
    }
    resume();
  }

  /** Stops it in the middle of what it does; its connections stay open. */
  public void pause() throws IOException {
    if (stopped != null) {
      throw new IllegalStateException(name + " is paused");
    }
    stopped = new StoppedProcess(running().process().pid());
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    StoppedProcess now = stopped;
    stopped = null;
    if (now != null) {
      now.close();
    }
  }

  /** Deletes everything in its folder, as a new machine has nothing; it does not run. */
  public void empty() {
    if (isAlive()) {
      throw new IllegalStateException(name + " runs");
    }
    if (Files.exists(data())) {
      Folders.delete(data());
    }
  }

  /** Sends a request with an empty or a JSON body. */
  public HttpResponse<String> request(String method, String path, String body, Duration timeout)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + path)).timeout(timeout);
    authorization().forEach(request::header);
    if (body.isEmpty()) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Sends a request that must succeed; the body of the answer. */
  public String send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response = request(method, path, body, Duration.ofMinutes(1));
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          name
              + ": "
              + method
              + " "
              + path
              + " -> "
              + response.statusCode()
              + " "
              + response.body());
    }
    return response.body();
  }

  /** Returns the file with what it has said. */
  public Path log() {
    return folder.resolve(name + ".log");
  }

  /** Returns the end of what it has said. */
  public String said() {
    return StartedProcess.said(name, log());
  }

  @Override
  public void close() {
    kill();
    port.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
