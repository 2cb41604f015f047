package ristretto.expr.media;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/** Writer of PNG and JPEG files. */
public final class WriteImage {
  private static final float JPEG_QUALITY = 0.9f;
  private static final int BYTE = 0xff;

  private WriteImage() {}

  /**
   * Writes a file; leaves an existing file unchanged on failure.
   *
   * @throws FileFormatException if the extension is not .png, .jpg or .jpeg, or a JPEG file would
   *     have alpha
   * @throws FileException if the file cannot be written
   */
  public static void to(Path file, Pixels pixels) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    boolean jpeg = name.endsWith(".jpg") || name.endsWith(".jpeg");
    if (!jpeg && !name.endsWith(".png")) {
      throw new FileFormatException(
          "[writeImage] the name must end in .png, .jpg or .jpeg; got %s; rename it."
              .formatted(Excerpt.whole(file.toString())));
    }
    if (jpeg && pixels.channels() > Pixels.RGB) {
      throw new FileFormatException(
          "[writeImage] a JPEG file must have 1 or 3 channels; got %s for %s; write PNG, or slice"
                  .formatted(pixels.channels(), Excerpt.whole(file.toString()))
              + " the first three channels.");
    }
    try {
      byte[] bytes = encoded(pixels, jpeg ? "jpeg" : "png");
      AsideFile.write(file, out -> AsideFile.writeFully(out, ByteBuffer.wrap(bytes)));
    } catch (IOException e) {
      throw TensorFiles.failed("writeImage", "an image file must be writable", file, e);
    }
  }

  private static byte[] encoded(Pixels pixels, String format) throws IOException {
    var bytes = new ByteArrayOutputStream();
    ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
    try (ImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      writer.setOutput(out);
      ImageWriteParam param = writer.getDefaultWriteParam();
      if (format.equals("jpeg")) {
        param.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        param.setCompressionQuality(JPEG_QUALITY);
      }
      writer.write(null, new IIOImage(image(pixels), null, null), param);
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  private static BufferedImage image(Pixels p) {
    int type =
        switch (p.channels()) {
          case 1 -> BufferedImage.TYPE_BYTE_GRAY;
          case Pixels.RGB -> BufferedImage.TYPE_INT_RGB;
          default -> BufferedImage.TYPE_INT_ARGB;
        };
    var image = new BufferedImage(p.width(), p.height(), type);
    if (p.channels() == 1) {
      image.getRaster().setDataElements(0, 0, p.width(), p.height(), p.values());
      return image;
    }
    int[] row = new int[p.width()];
    for (int y = 0; y < p.height(); y++) {
      for (int x = 0; x < p.width(); x++) {
        int alpha = p.channels() > Pixels.RGB ? p.at(x, y, Pixels.RGB) : BYTE;
        row[x] = alpha << 24 | p.at(x, y, 0) << 16 | p.at(x, y, 1) << 8 | p.at(x, y, 2);
      }
      image.setRGB(0, y, p.width(), 1, row, 0, p.width());
    }
    return image;
  }
}
