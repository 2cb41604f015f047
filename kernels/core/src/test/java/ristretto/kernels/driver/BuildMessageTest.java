package ristretto.kernels.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BuildMessageTest {
  @Test
  void codeThatDoesNotCompileIsShownAroundTheCompilersPlaces() {
    var source = new StringBuilder();
    for (int line = 1; line <= 20; line++) {
      source.append("line ").append(line).append('\n');
    }
    String log = "program.cl:2:3: error: first\nprogram.cl:12:1: error: second";
    assertThat(
            BuildMessage.of(
                "map_x", "OpenCL C", source.toString(), log, Path.of("/cache/failed.cl")))
        .isEqualTo(
            """
            [map_x] generated OpenCL C must compile; the compiler rejects it; this is a bug of \
            Ristretto or of the compiler, please report it
                1 line 1
                2 line 2
                3 line 3
                4 line 4
                5 line 5
               ...
                9 line 9
               10 line 10
               11 line 11
               12 line 12
               13 line 13
               14 line 14
               15 line 15
            log of the compiler:
            program.cl:2:3: error: first
            program.cl:12:1: error: second
            source: /cache/failed.cl\
            """);
  }

  @Test
  void aLogWithoutPlacesGoesWithTheStartOfTheKernel() {
    assertThat(
            BuildMessage.of(
                "map_x", "OpenCL C", "head\nKERNEL void f()\n{", "no", Path.of("/f.cl")))
        .endsWith(
            "please report it\n    2 KERNEL void f()\n    3 {\nlog of the compiler:\nno\nsource:"
                + " /f.cl");
  }

  @Test
  void placesAreFoundAsNvidiasCompilersNameThem() {
    String source = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
    String log = "map_x.cu(8): error: identifier \"y\" is undefined";
    assertThat(BuildMessage.of("map_x", "CUDA C", source, log, Path.of("/f.cu")))
        .startsWith("[map_x] generated CUDA C must compile; ")
        .contains("please report it\n    5 e\n    6 f\n    7 g\n    8 h\n    9 i\n   10 \nlog");
  }
}
