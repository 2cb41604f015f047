package ristretto.kernels.cpu.convolution;

import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** Launch of a convolution by a library, whose shares are spread over the device's threads. */
public final class ConvolutionLaunch extends CpuLaunch {
  private final ConvolutionRoutine routine;
  private final ChunkedTask shares = this::shares;
  private final Operand.Memory image;
  private final Operand.Memory filter;
  private final Operand.Memory result;
  private final long bytes;
  private final int parts;

  public ConvolutionLaunch(
      LaunchServices services, Kernel.Convolution kernel, ConvolutionRoutine routine) {
    super(services, kernel);
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
    parts = Math.min(most, services.workers.size());
    bytes = routine.sharedBytes() + parts * routine.scratchBytes();
    routine.reserve(parts);
    chunks = 1;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    CpuBuffer memory = services.workspaces.take(bytes);
    try {
      job.shared = memory.address(name());
      for (int phase = 0; phase < routine.phases(); phase++) {
        job.phase = phase;
        services.workers.run(job, shares, Math.min(routine.shares(phase), parts));
      }
    } finally {
      services.workspaces.give(memory);
    }
  }

  /** Runs some shares of a phase. */
  private void shares(Job job, int index, int count, ThreadContext context) {
    int phase = (int) job.phase;
    long shares = routine.shares(phase);
    routine.run(
        phase,
        (int) (shares * index / count),
        (int) (shares * (index + 1) / count),
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
