package ristretto.plot;

import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;

/** Writer of figures as PNG and SVG files. */
final class FigureFile {
  private FigureFile() {}

  static void write(Figure figure, Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    if (!name.endsWith(".png") && !name.endsWith(".svg")) {
      throw new FileFormatException(
          "[save] the name of a plot must end in .png or .svg; got %s; rename it."
              .formatted(Excerpt.whole(file.toString())));
    }
    try {
      byte[] bytes = name.endsWith(".svg") ? svg(figure) : png(figure);
      AsideFile.write(file, channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(bytes)));
    } catch (IOException e) {
      throw TensorFiles.failed("save", "a plot must be writable", file, e);
    }
  }

  static BufferedImage image(Figure figure) {
    var image = new BufferedImage(figure.width(), figure.height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D g = image.createGraphics();
    figure.paintAll(g);
    g.dispose();
    return image;
  }

  private static byte[] png(Figure figure) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write(image(figure), "png", out);
    }
    return bytes.toByteArray();
  }

  private static byte[] svg(Figure figure) {
    var g = new SvgGraphics();
    figure.paintAll(g);
    return g.document(figure.width(), figure.height()).getBytes(StandardCharsets.UTF_8);
  }
}
