package ristretto.symbolic.data.folder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/**
 * Files of a folder that has a folder for each class. Files whose names begin with a dot are
 * ignored, and so are folders that are symbolic links within a class.
 *
 * @param name name of the data for messages, such as {@code images}
 * @param classes names of the classes by their numbers
 * @param items files in alphabetical order, at first
 */
public record ClassFolders(String name, Path root, List<String> classes, List<Item> items) {
  private static final int MOST_FILES = 50_000_000;

  /** File with the number of its class. */
  public record Item(Path file, int label) {}

  /**
   * Lists a folder.
   *
   * @throws FileException if a folder cannot be read
   * @throws FileFormatException if there is no class, or a class without a file
   */
  public static ClassFolders of(String name, Path root) {
    var classes = new ArrayList<String>();
    var items = new ArrayList<Item>();
    for (Path folder : entries(name, root, false)) {
      if (!Files.isDirectory(folder)) {
        throw malformed(
            name,
            "a folder of classes must have only folders",
            "the file " + Excerpt.whole(folder.getFileName().toString()),
            root);
      }
      List<Path> files = entries(name, folder, true);
      if (files.isEmpty()) {
        throw malformed(name, "a class must have a file", "an empty folder", folder);
      }
      files.forEach(file -> items.add(new Item(file, classes.size())));
      classes.add(folder.getFileName().toString());
    }
    if (classes.isEmpty()) {
      throw malformed(name, "there must be a folder for each class", "none", root);
    }
    return new ClassFolders(name, root, List.copyOf(classes), List.copyOf(items));
  }

  /** Returns the entries of a folder, or all files below it, in alphabetical order. */
  private static List<Path> entries(String name, Path folder, boolean below) {
    try (Stream<Path> all = below ? Files.walk(folder) : Files.list(folder)) {
      List<Path> found =
          all.filter(path -> !path.getFileName().toString().startsWith("."))
              .filter(path -> !below || Files.isRegularFile(path))
              .limit(MOST_FILES + 1L)
              .sorted(Comparator.comparing(Path::toString))
              .toList();
      if (found.size() > MOST_FILES) {
        throw malformed(
            name, "a folder must have at most " + MOST_FILES + " files", "more", folder);
      }
      return found;
    } catch (IOException e) {
      throw unreadable(name, folder, e);
    } catch (UncheckedIOException e) {
      throw unreadable(name, folder, e.getCause());
    }
  }

  /** Returns the files with classes numbered by another list. */
  public ClassFolders numbered(List<String> names) {
    var numbered = new ArrayList<Item>();
    for (Item item : items) {
      String of = classes.get(item.label);
      int number = names.indexOf(of);
      if (number < 0) {
        throw new ShapeException(
            "[%s] folders must be classes of the list; got %s of %s, which is not in %s."
                .formatted(
                    name,
                    Excerpt.of(of),
                    Excerpt.whole(root.toString()),
                    Excerpt.of(names.toString())));
      }
      numbered.add(new Item(item.file, number));
    }
    return new ClassFolders(name, root, List.copyOf(names), List.copyOf(numbered));
  }

  private static FileException unreadable(String name, Path folder, IOException e) {
    return new FileException(
        "[%s] the folder must exist and be readable; got %s (%s); check the path."
            .formatted(
                name,
                Excerpt.whole(folder.toAbsolutePath().toString()),
                e.getClass().getSimpleName()),
        e);
  }

  private static FileFormatException malformed(String name, String rule, String got, Path folder) {
    return new FileFormatException(
        "[%s] %s; got %s in %s.".formatted(name, rule, got, Excerpt.whole(folder.toString())));
  }
}
