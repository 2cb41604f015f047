package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileFormatException;

/**
 * PyTorch's .pt and .pth files (since PyTorch 1.6): a zip archive of a pickle, {@code
 * name/data.pkl}, and of storages, {@code name/data/key}, uncompressed. Tensors within dictionaries
 * and lists are named by the keys from the outside in, joined by dots; all other values are
 * skipped.
 */
final class Torch {
  private static final String PICKLE = "data.pkl";
  private static final String ORDER = "byteorder";
  private static final String REMEDY = "load it in PyTorch and save it again";

  /** Maximal size of a pickle in bytes, above that of 100,000 tensors. */
  private static final long MOST_PICKLE = 1 << 25;

  /** Maximal number of containers around a tensor. */
  private static final int MOST_DEPTH = 64;

  /** Maximal length of a name in characters; names of shared containers are not shared. */
  private static final int MOST_NAME = 1000;

  private final FileBytes pickle;
  private final Map<String, TorchTensor> tensors = new LinkedHashMap<>();
  private int visited;

  private Torch(FileBytes pickle) {
    this.pickle = pickle;
  }

  /** Returns true if a zip archive holds a pickle. */
  static boolean looksLike(FileBytes file) {
    return ZipDirectory.read(file, ".npz or PyTorch", REMEDY).stream()
        .anyMatch(m -> m.name().endsWith("/" + PICKLE));
  }

  /** Reads the pickle, and checks that all tensors lie within the file. */
  static Map<String, StoredTensor> read(FileBytes file) {
    if (file.size() > 0 && PickleOp.of(file.u8(0, "start")) == PickleOp.PROTO) {
      throw file.malformed(
          0, "a PyTorch file must be a zip archive, as since PyTorch 1.6", "a pickle", REMEDY);
    }
    Map<String, ZipMember> members = members(file);
    FileBytes pickle = content(file, members.get(PICKLE));
    boolean bigEndian =
        members.containsKey(ORDER) && isBigEndian(content(file, members.get(ORDER)));
    var torch = new Torch(pickle);
    torch.collect("", Pickle.read(pickle, new TorchObjects(file, pickle, members, bigEndian)), 0);
    return torch.stored(file);
  }

  /** Returns the entries beside the pickle by their names without the common folder. */
  private static Map<String, ZipMember> members(FileBytes file) {
    List<ZipMember> all = ZipDirectory.read(file, "PyTorch", REMEDY);
    List<ZipMember> pickles = all.stream().filter(m -> m.name().endsWith("/" + PICKLE)).toList();
    if (pickles.size() != 1) {
      throw file.malformed(
          0,
          "a PyTorch file must have one entry named data.pkl in a folder",
          pickles.size() + " among " + all.size() + " entries",
          REMEDY);
    }
    String name = pickles.getFirst().name();
    String folder = name.substring(0, name.length() - PICKLE.length());
    var members = new HashMap<String, ZipMember>();
    for (ZipMember member : all) {
      if (member.name().startsWith(folder)) {
        if (member.deflated()) {
          throw file.malformed(
              member.header(),
              "entries of a PyTorch file must not be compressed",
              "'" + Excerpt.of(member.name()) + "'",
              REMEDY);
        }
        if (members.putIfAbsent(member.name().substring(folder.length()), member) != null) {
          throw file.malformed(
              member.header(), "names must differ", "'" + Excerpt.of(member.name()) + "' twice");
        }
      }
    }
    return members;
  }

  /** Returns the whole content of a small entry, after its checksum has been checked. */
  private static FileBytes content(FileBytes file, ZipMember member) {
    if (member.size() > MOST_PICKLE) {
      throw file.malformed(
          member.header(),
          "a pickle must have at most " + MOST_PICKLE + " bytes",
          member.size() + " in '" + Excerpt.of(member.name()) + "'",
          "save fewer tensors");
    }
    try (ZipContent content = member.open(file)) {
      FileBytes bytes = content.bytes();
      byte[] all = bytes.array(0, member.size(), "content");
      content.finish();
      return new FileBytes(bytes.name(), ByteSource.of(MemorySegment.ofArray(all)), all.length);
    }
  }

  private static boolean isBigEndian(FileBytes order) {
    String text =
        new String(order.array(0, Math.min(order.size(), 16), "order"), StandardCharsets.US_ASCII);
    return switch (text) {
      case "little" -> false;
      case "big" -> true;
      default ->
          throw order.malformed(
              0, "the byte order must be little or big", "'" + Excerpt.of(text) + "'", REMEDY);
    };
  }

  private void collect(String name, PickleValue value, int depth) {
    if (++visited > Pickle.MOST_VALUES || depth > MOST_DEPTH || name.length() > MOST_NAME) {
      throw tooNested();
    }
    switch (value) {
      case PickleValue.Tensor(TorchTensor tensor) -> {
        if (tensors.putIfAbsent(name, tensor) != null) {
          throw pickle.malformed(
              0, "names must differ", "'" + Excerpt.of(name) + "' twice", REMEDY);
        }
        if (tensors.size() > SafetensorsHeader.MOST_TENSORS) {
          throw pickle.malformed(
              0, "a file must have at most " + SafetensorsHeader.MOST_TENSORS + " tensors", "more");
        }
      }
      case PickleValue.Dictionary dictionary ->
          dictionary.entries().forEach((key, v) -> collect(joined(name, key), v, depth + 1));
      case PickleValue.Sequence sequence -> {
        for (int k = 0; k < sequence.items().size(); k++) {
          collect(joined(name, Integer.toString(k)), sequence.items().get(k), depth + 1);
        }
      }
      case PickleValue.Whole _,
          PickleValue.Text _,
          PickleValue.Name _,
          PickleValue.Storage _,
          PickleValue.Other _ -> {}
    }
  }

  private FileFormatException tooNested() {
    return pickle.malformed(
        0,
        "tensors must lie within at most "
            + MOST_DEPTH
            + " dictionaries and lists, with names of"
            + " at most "
            + MOST_NAME
            + " characters, and "
            + Pickle.MOST_VALUES
            + " values in all",
        "more",
        "save model.state_dict() alone");
  }

  private static String joined(String name, String key) {
    return name.isEmpty() ? key : name + "." + key;
  }

  private Map<String, StoredTensor> stored(FileBytes file) {
    long total = 0;
    for (TorchTensor tensor : tensors.values()) {
      long work = tensor.work();
      total = total > Long.MAX_VALUE - work ? Long.MAX_VALUE : total + work;
    }
    Expansion.check("load", total, file.size(), file.name());
    var stored = new LinkedHashMap<String, StoredTensor>();
    tensors.forEach((name, tensor) -> stored.put(name, tensor.stored()));
    return stored;
  }
}
