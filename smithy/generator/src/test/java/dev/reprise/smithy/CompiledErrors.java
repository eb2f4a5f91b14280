package dev.reprise.smithy;

import dev.reprise.core.RetryInfo;
import dev.reprise.smithy.runtime.HttpError;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.loader.ModelAssembler;

/**
 * What was generated from a model, compiled with every warning an error and nothing but core and
 * the runtime on the class path, and loaded.
 */
public final class CompiledErrors {
  private final GeneratedErrors generated;
  private final ClassLoader classes;
  private final String packageName;

  private CompiledErrors(GeneratedErrors generated, ClassLoader classes) {
    this.generated = generated;
    this.classes = classes;
    String path = generated.files().firstKey();
    this.packageName = path.substring(0, path.lastIndexOf('/')).replace('/', '.');
  }

  /** Reads the models that a folder of the test resources holds. */
  public static Model model(String folder) {
    URL url = CompiledErrors.class.getResource("/" + folder);
    if (url == null) {
      throw new IllegalArgumentException(folder + " is no folder of the test resources");
    }
    ModelAssembler assembler = PublicModels.assembler();
    try (var files = Files.list(Path.of(url.toURI()))) {
      files
          .filter(file -> file.toString().endsWith(".smithy"))
          .sorted()
          .forEach(assembler::addImport);
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(folder, e);
    }
    return assembler.assemble().unwrap();
  }

  /** Generates, compiles and loads. */
  public static CompiledErrors of(Model model, RetryErrorsSettings settings, Path folder) {
    GeneratedErrors generated = RetryErrors.generate(model, settings);
    compile(generated.files(), folder);
    return new CompiledErrors(generated, loader(folder));
  }

  /** Compiles sources by their path below the source folder. */
  public static void compile(Map<String, String> files, Path folder) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-Xlint:all",
            "-Xdoclint:all,-missing",
            "-Werror",
            "--release",
            "17",
            "-proc:none",
            "-d",
            folder.toString(),
            "-cp",
            classPath());
    boolean compiled =
        compiler
            .getTask(
                messages,
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8),
                null,
                options,
                null,
                files.entrySet().stream()
                    .map(file -> source(file.getKey(), file.getValue()))
                    .toList())
            .call();
    if (!compiled) {
      throw new AssertionError("the generated code does not compile:\n" + messages);
    }
  }

  private static JavaFileObject source(String path, String text) {
    return new SimpleJavaFileObject(URI.create("string:///" + path), Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  private static String classPath() {
    return Stream.of(RetryInfo.class, HttpError.class)
        .map(type -> type.getProtectionDomain().getCodeSource().getLocation().toString())
        .map(location -> Path.of(URI.create(location)).toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static ClassLoader loader(Path folder) {
    try {
      return new URLClassLoader(
          new URL[] {folder.toUri().toURL()}, CompiledErrors.class.getClassLoader());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what was generated. */
  public GeneratedErrors generated() {
    return generated;
  }

  /** Returns a generated class by its simple name; that of a record of a union by {@code A$B}. */
  public Class<?> type(String simpleName) {
    try {
      return Class.forName(packageName + "." + simpleName, true, classes);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(simpleName + " was not generated", e);
    }
  }

  /** Reads a response with a service's companion. The error is what core knows of it. */
  public RuntimeException read(
      String companion, int status, Map<String, List<String>> headers, byte[] body) {
    try {
      Method read = type(companion).getMethod("read", int.class, Map.class, byte[].class);
      return (RuntimeException) read.invoke(null, status, headers, body);
    } catch (InvocationTargetException e) {
      throw rethrown(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(companion, e);
    }
  }

  /** Reads a response with a JSON body and no headers. */
  public RuntimeException read(String companion, int status, String body) {
    return read(companion, status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Builds an error or a structure.
   *
   * @param values the setters' names, each followed by its value
   */
  public Object build(String simpleName, Object... values) {
    Object builder = call(type(simpleName), null, "builder");
    for (int i = 0; i < values.length; i += 2) {
      call(builder.getClass(), builder, (String) values[i], values[i + 1]);
    }
    return call(builder.getClass(), builder, "build");
  }

  /** Returns what an accessor returns. */
  public static Object value(Object of, String accessor) {
    return call(of.getClass(), of, accessor);
  }

  private static Object call(Class<?> type, Object target, String name, Object... arguments) {
    List<Method> methods = new ArrayList<>(Arrays.asList(type.getMethods()));
    Method method =
        methods.stream()
            .filter(each -> each.getName().equals(name))
            .filter(each -> each.getParameterCount() == arguments.length)
            .findFirst()
            .orElseThrow(() -> new AssertionError(type + " has no public method " + name));
    try {
      method.setAccessible(true);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw rethrown(e);
    } catch (IllegalAccessException e) {
      throw new LinkageError(name, e);
    }
  }

  private static RuntimeException rethrown(InvocationTargetException e) {
    if (e.getCause() instanceof RuntimeException thrown) {
      return thrown;
    }
    throw new AssertionError(e.getCause());
  }
}
