package ristretto.nnet3;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/**
 * Networks with what Kaldi (commit f4007661, on a processor, in single precision) makes of them, in
 * one compressed resource. Each case is a folder:
 *
 * <ul>
 *   <li>{@code nnet.config}; {@code nnet2.config} where a second config goes on top; {@code
 *       model.txt} and {@code model.raw} with the same floats, the second read from the first
 *   <li>{@code request.txt}: {@code need-model-derivative} and {@code store-component-stats}; then
 *       {@code input} or {@code output}, a name and {@code has-deriv}, and the indexes below, each
 *       {@code n t [x]}, where t may be {@code notime}, or {@code range [order=nt|tn] n=a:b
 *       t=a:b[:step] [x=a:b]}, ends exclusive, the first of the order outermost, x innermost;
 *       {@code request-print.txt} is that as Kaldi prints it
 *   <li>{@code input.txt}, {@code output.txt}, {@code outderiv.txt}, {@code inderiv.txt}: archives
 *       of matrices by node, rows as in the request
 *   <li>{@code paramgrad.txt} or {@code .raw}: a network whose parameters are the gradient, with
 *       statistics where the request stores them
 *   <li>{@code stats.json}: Kaldi's numbers of commands, what is computable, contexts, and how well
 *       Kaldi's own derivatives agree with finite differences
 *   <li>{@code info.txt}, {@code meta.json}; {@code error.txt} where Kaldi refuses
 * </ul>
 *
 * Folders {@code compute-*} have a run of {@code nnet3-compute}, {@code ng-*} of the natural
 * gradient, {@code orth-*} of the orthonormal constraint. {@code recipes/*} are networks of full
 * size with requests for training and decoding.
 */
public final class Vectors {
  private static final int BLOCK = 512;
  private static final String RECIPES = "recipes/";
  private static final Map<String, Map<String, byte[]>> FOLDERS = read("vectors.tar.gz");

  private Vectors() {}

  /** Names of all cases but the recipes. */
  public static List<String> cases() {
    return names(name -> !name.startsWith(RECIPES));
  }

  /** Names of the cases that have a file. */
  public static List<String> casesWith(String file) {
    return cases().stream().filter(name -> has(name, file)).toList();
  }

  /** Names of the recipes, with their folder. */
  public static List<String> recipes() {
    return names(name -> name.startsWith(RECIPES));
  }

  /** Names of a case's files. */
  public static List<String> files(String name) {
    return List.copyOf(folder(name).keySet());
  }

  /** Returns true if a case has a file. */
  public static boolean has(String name, String file) {
    return folder(name).containsKey(file);
  }

  /** A file of a case. */
  public static byte[] bytes(String name, String file) {
    byte[] bytes = folder(name).get(file);
    if (bytes == null) {
      throw new NoSuchElementException("%s has no %s".formatted(name, file));
    }
    return bytes.clone();
  }

  /** A file of a case, as text. */
  public static String text(String name, String file) {
    return new String(bytes(name, file), StandardCharsets.UTF_8);
  }

  /** Writes a case's files into a folder, for configs and commands that name files. */
  public static void copy(String name, Path to) {
    folder(name)
        .forEach((file, bytes) -> {
          try {
            Files.write(to.resolve(file), bytes);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static Map<String, byte[]> folder(String name) {
    Map<String, byte[]> folder = FOLDERS.get(name);
    if (folder == null) {
      throw new NoSuchElementException("no case " + name);
    }
    return folder;
  }

  private static List<String> names(Predicate<String> wanted) {
    return FOLDERS.keySet().stream().filter(wanted).toList();
  }

  /** Files of a compressed resource by folder. */
  public static Map<String, Map<String, byte[]>> read(String resource) {
    try (var packed = Vectors.class.getResourceAsStream(resource);
        var in = new GZIPInputStream(packed)) {
      return untar(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files of a tar archive by folder; equal files are links to the first of them. */
  private static Map<String, Map<String, byte[]>> untar(byte[] tar) throws IOException {
    var folders = new LinkedHashMap<String, Map<String, byte[]>>();
    var all = new LinkedHashMap<String, byte[]>();
    var in = new DataInputStream(new ByteArrayInputStream(tar));
    var header = new byte[BLOCK];
    for (in.readFully(header); header[0] != 0; in.readFully(header)) {
      String path = field(header, 0, 100);
      int size = Integer.parseInt(field(header, 124, 12), 8);
      byte[] bytes = header[156] == '1' ? all.get(field(header, 157, 100)) : in.readNBytes(size);
      in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
      all.put(path, bytes);
      int slash = path.lastIndexOf('/');
      folders
          .computeIfAbsent(path.substring(0, slash), _ -> new LinkedHashMap<>())
          .put(path.substring(slash + 1), bytes);
    }
    return folders;
  }

  private static String field(byte[] header, int at, int length) {
    return new String(header, at, length, StandardCharsets.US_ASCII).replaceAll("[\0 ].*", "");
  }
}
