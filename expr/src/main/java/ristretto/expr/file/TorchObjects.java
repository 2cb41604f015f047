package ristretto.expr.file;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Values of a pickle that are PyTorch's: storages, tensors and parameters. */
final class TorchObjects {
  private static final String REMEDY = "save model.state_dict() alone";

  private final FileBytes archive;
  private final FileBytes pickle;

  /** Entries of the archive by their names, without the prefix of all names. */
  private final Map<String, ZipMember> members;

  private final boolean bigEndian;
  private final Map<String, TorchStorage> storages = new HashMap<>();

  TorchObjects(
      FileBytes archive, FileBytes pickle, Map<String, ZipMember> members, boolean bigEndian) {
    this.archive = archive;
    this.pickle = pickle;
    this.members = members;
    this.bigEndian = bigEndian;
  }

  /** Returns the value of the name of a function or class; {@code at} is for messages. */
  PickleValue name(String name, long at) {
    Optional<TorchName> known = TorchName.of(name);
    if (known.isEmpty()) {
      throw pickle.malformed(
          at,
          "a PyTorch file must name only tensors of supported dtypes and dictionaries, since"
              + " nothing in a file is executed",
          "the name '" + Excerpt.of(name) + "'",
          name.startsWith("torch.") && name.endsWith("Storage")
              ? "convert tensors to f16, bf16, f32, f64, i8, u8, i16, i32, i64 or bool"
              : REMEDY);
    }
    return new PickleValue.Name(known.get());
  }

  /** Returns a storage, which a pickle refers to by a tuple. */
  PickleValue persistent(PickleValue id, long at) {
    if (id instanceof PickleValue.Sequence tuple
        && tuple.items().size() == 5
        && tuple.items().get(0) instanceof PickleValue.Text(String kind)
        && kind.equals("storage")
        && tuple.items().get(1) instanceof PickleValue.Name(TorchName name)
        && name.type().isPresent()
        && tuple.items().get(2) instanceof PickleValue.Text(String key)
        && tuple.items().get(3) instanceof PickleValue.Text
        && tuple.items().get(4) instanceof PickleValue.Whole(long count)) {
      return new PickleValue.Storage(storage(key, name.type().get(), count, at));
    }
    throw pickle.malformed(
        at,
        "a storage must be described by 'storage', type, key, device and size",
        "others",
        REMEDY);
  }

  private TorchStorage storage(String key, ScalarType type, long count, long at) {
    ZipMember member = members.get("data/" + key);
    if (member == null) {
      throw pickle.malformed(
          at,
          "the archive must have an entry for each storage",
          "none named 'data/" + Excerpt.of(key) + "'",
          "the file is damaged");
    }
    TorchStorage storage =
        storages.computeIfAbsent(key, _ -> new TorchStorage(archive, member, type, bigEndian));
    if (storage.type() != type
        || count < 0
        || count > member.size()
        || count * type.bytes() != member.size()) {
      throw pickle.malformed(
          at,
          "a storage must be as large as its entry, which has " + member.size() + " bytes",
          count + " elements of " + type.label() + " in 'data/" + Excerpt.of(key) + "'",
          "the file is damaged");
    }
    return storage;
  }

  /** Returns the value that a function or class makes of its arguments. */
  PickleValue make(TorchName name, List<PickleValue> arguments, long at) {
    return switch (name) {
      case ORDERED_DICT -> {
        if (!arguments.isEmpty()) {
          throw misused("an OrderedDict must be made without arguments", at);
        }
        yield new PickleValue.Dictionary();
      }
      case SIZE -> {
        if (arguments.size() != 1 || !(arguments.get(0) instanceof PickleValue.Sequence)) {
          throw misused("a torch.Size must be made of a tuple", at);
        }
        yield arguments.get(0);
      }
      case REBUILD_PARAMETER -> {
        if (arguments.size() != 3 || !(arguments.get(0) instanceof PickleValue.Tensor)) {
          throw misused("a parameter must be made of a tensor, a boolean and hooks", at);
        }
        yield arguments.get(0);
      }
      case REBUILD_TENSOR -> tensor(arguments, at);
      case F32, F64, F16, BF16, I8, U8, I16, I32, I64, BOOL ->
          throw misused("storages must be entries of the archive", at);
    };
  }

  private PickleValue tensor(List<PickleValue> arguments, long at) {
    boolean plain = arguments.size() == 6 || arguments.size() == 7 && isEmpty(arguments.get(6));
    if (plain
        && arguments.get(0) instanceof PickleValue.Storage(TorchStorage storage)
        && arguments.get(1) instanceof PickleValue.Whole(long offset)
        && arguments.get(2) instanceof PickleValue.Sequence shape
        && arguments.get(3) instanceof PickleValue.Sequence strides
        && isEmpty(arguments.get(5))) {
      return new PickleValue.Tensor(
          TorchTensor.checked(storage, offset, longs(shape, at), longs(strides, at), pickle, at));
    }
    throw misused(
        "a tensor must be made of storage, offset, size, stride and requires_grad, without hooks"
            + " and metadata",
        at);
  }

  private static boolean isEmpty(PickleValue value) {
    return value == PickleValue.Other.NONE
        || value instanceof PickleValue.Dictionary d && d.entries().isEmpty();
  }

  private Longs longs(PickleValue.Sequence sequence, long at) {
    List<PickleValue> items = sequence.items();
    if (items.size() > HostTensor.MAX_RANK) {
      throw pickle.malformed(
          at,
          "a shape must have at most " + HostTensor.MAX_RANK + " extents",
          Integer.toString(items.size()));
    }
    long[] values = new long[items.size()];
    for (int k = 0; k < values.length; k++) {
      if (!(items.get(k) instanceof PickleValue.Whole(long value)) || value < 0) {
        throw pickle.malformed(
            at, "extents and strides must be numbers from 0 to 2^63-1", "others");
      }
      values[k] = value;
    }
    return Longs.of(values);
  }

  private RuntimeException misused(String rule, long at) {
    return pickle.malformed(at, rule, "others", REMEDY);
  }
}
