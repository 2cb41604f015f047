package ristretto.kernels.cpu;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** Launch of a convolution by a library, whose shares are spread over the device's threads. */
final class ConvolutionLaunch extends CpuLaunch implements Chunked {
  private final ConvolutionRoutine routine;
  private final Operand.Memory image;
  private final Operand.Memory filter;
  private final Operand.Memory result;
  private final long bytes;
  private final int parts;

  ConvolutionLaunch(CpuDevice device, Kernel.Convolution kernel, ConvolutionRoutine routine) {
    super(device, kernel);
    this.routine = routine;
    image = kernel.image();
    filter = kernel.filter();
    result = kernel.result();
    declare(image, kernel.images().toArray());
    declare(filter, kernel.filters().toArray());
    declare(result, kernel.results().toArray());
    long column = kernel.filters().product() / kernel.filters().get(0);
    describe(2 * kernel.results().product() * column, routine::words, true);
    int most = 1;
    for (int phase = 0; phase < routine.phases(); phase++) {
      most = Math.max(most, routine.shares(phase));
    }
    parts = Math.min(most, device.team.size());
    bytes = routine.sharedBytes() + parts * routine.scratchBytes();
    routine.reserve(parts);
  }

  @Override
  void execute(Job job, ThreadContext context) {
    CpuBuffer memory = device.workspaces.take(bytes);
    try {
      job.shared = memory.address(name());
      for (int phase = 0; phase < routine.phases(); phase++) {
        job.phase = phase;
        int chunks = Math.min(routine.shares(phase), parts);
        if (chunks == 1) {
          chunk(job, 0, 1, context);
        } else {
          device.team.run(job, this, chunks);
        }
      }
    } finally {
      device.workspaces.give(memory);
    }
  }

  @Override
  public void chunk(Job job, int index, int chunks, ThreadContext context) {
    int phase = (int) job.phase;
    long shares = routine.shares(phase);
    routine.run(
        phase,
        (int) (shares * index / chunks),
        (int) (shares * (index + 1) / chunks),
        address(job, image),
        address(job, filter),
        address(job, result),
        job.shared,
        job.shared + routine.sharedBytes() + index * routine.scratchBytes());
  }

  private static long address(Job job, Operand.Memory m) {
    return job.buffers[m.buffer()] + m.storage().bytes() * m.map().offset();
  }
}
