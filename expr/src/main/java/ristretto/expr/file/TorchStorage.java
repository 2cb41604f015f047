package ristretto.expr.file;

import ristretto.kernels.scalar.ScalarType;

/** Storage of tensors in a PyTorch file: elements in one entry of the archive, uncompressed. */
final class TorchStorage {
  private final FileBytes archive;
  private final ZipMember member;
  private final ScalarType type;
  private final boolean bigEndian;
  private boolean verified;

  TorchStorage(FileBytes archive, ZipMember member, ScalarType type, boolean bigEndian) {
    this.archive = archive;
    this.member = member;
    this.type = type;
    this.bigEndian = bigEndian && type.bytes() > 1;
  }

  ScalarType type() {
    return type;
  }

  /** Returns the number of elements. */
  long count() {
    return member.size() / type.bytes();
  }

  /**
   * Passes a range of elements in pieces. The checksum covers all elements, so it is computed once,
   * with the first range that is read.
   *
   * @param from byte offset of the first element
   * @param bytes size of the range
   */
  void forEach(long from, long bytes, StoredTensor.Piece piece) {
    if (bytes == member.size()) {
      whole(piece);
      return;
    }
    if (!verified) {
      whole((_, _) -> {});
    }
    FileBytes raw = archive.slice(member.start(), member.size(), "storage");
    Elements.forEach(raw, from, bytes, type, bigEndian, piece);
  }

  private void whole(StoredTensor.Piece piece) {
    try (ZipContent content = member.open(archive)) {
      Elements.forEach(content.bytes(), 0, member.size(), type, bigEndian, piece);
      content.finish();
    }
    verified = true;
  }
}
