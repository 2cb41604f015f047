package ristretto.onednn;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Longs;
import ristretto.onednn.OneDnn.Kind;
import ristretto.onednn.OneDnn.Role;

/** Convolution of one block of images, with oneDNN's descriptor. */
final class Part {
  private final Kernel.Convolution kernel;
  private final Handles handles;
  private final long block;
  private final long description;

  /**
   * Describes the convolution of {@code images} images.
   *
   * @param filter layout of the filters or of their gradient
   */
  private Part(
      Kernel.Convolution kernel, Handles handles, long images, long filter, long attributes) {
    this.kernel = kernel;
    this.handles = handles;
    block = images;
    long image = kept(OneDnn.open(extents(kernel.images())));
    long result = kept(OneDnn.open(extents(kernel.results())));
    long open = kept(OneDnn.open(filterExtents(kernel)));
    long hint = 0;
    if (kernel.made() != Made.RESULTS) {
      hint = handles.keep(Kind.DESCRIPTION, OneDnn.results(sizes(image, open, result), attributes));
    }
    OneDnn.Sizes sizes = sizes(image, filter, result);
    description =
        handles.keep(
            Kind.DESCRIPTION,
            switch (kernel.made()) {
              case RESULTS -> OneDnn.results(sizes, attributes);
              case IMAGES -> hint == 0 ? 0 : OneDnn.images(sizes, hint, attributes);
              case FILTERS -> hint == 0 ? 0 : OneDnn.filters(sizes, hint, attributes);
            });
  }

  /** Describes a block with the filter layout that oneDNN prefers. */
  static Part open(Kernel.Convolution kernel, Handles handles, long images, long attributes) {
    long filter = handles.keep(Kind.LAYOUT, OneDnn.open(filterExtents(kernel)));
    return new Part(kernel, handles, images, filter, attributes);
  }

  /** Describes a block of another number of images, with the same filter layout. */
  Part of(long others, long attributes) {
    return new Part(kernel, handles, others, layout(filters()), attributes);
  }

  private OneDnn.Sizes sizes(long image, long filter, long result) {
    Kernel.Convolution.Windows at = kernel.windows();
    long[] gaps = at.dilations().toArray();
    for (int d = 0; d < gaps.length; d++) {
      gaps[d]--;
    }
    return new OneDnn.Sizes(
        image, filter, result, at.strides().toArray(), gaps, at.padding().toArray());
  }

  private long kept(long made) {
    return handles.keep(Kind.LAYOUT, made);
  }

  private long[] extents(Longs all) {
    long[] extents = all.toArray();
    extents[0] = block;
    return extents;
  }

  /** Shape of the filters, with a leading dimension for groups if there are several. */
  static long[] filterExtents(Kernel.Convolution kernel) {
    long[] filters = kernel.filters().toArray();
    long groups = kernel.windows().groups();
    if (groups == 1) {
      return filters;
    }
    long[] extents = new long[filters.length + 1];
    extents[0] = groups;
    extents[1] = filters[0] / groups;
    System.arraycopy(filters, 1, extents, 2, filters.length - 1);
    return extents;
  }

  /** Returns true if oneDNN has an optimized implementation, not only its reference code. */
  boolean isFast() {
    return description != 0 && !words().contains("ref");
  }

  /** Name of oneDNN's implementation. */
  String words() {
    return OneDnn.words(description);
  }

  long description() {
    return description;
  }

  /** Role of the images or of their gradient. */
  Role images() {
    return kernel.made() == Made.IMAGES ? Role.IMAGE_GRADIENT : Role.IMAGE;
  }

  /** Role of the filters or of their gradient. */
  Role filters() {
    return kernel.made() == Made.FILTERS ? Role.FILTER_GRADIENT : Role.FILTER;
  }

  /** Role of the results or of their gradient. */
  Role results() {
    return kernel.made() == Made.RESULTS ? Role.RESULT : Role.RESULT_GRADIENT;
  }

  /** Layout of the operand that oneDNN prefers. */
  long layout(Role role) {
    return OneDnn.layout(description, role);
  }

  /** Row-major layout of the block's images or results. */
  long plain(Longs all) {
    return kept(OneDnn.plain(extents(all)));
  }
}
