// compressed.mjs - pictures as PNG, JPEG and WebP: sharp reads and writes them, where it is installed (`npm install sharp`).
import { fromBytes } from 'stria';
import { Refused } from './develop.mjs';

const loaders = { png: 'VipsForeignLoadPng', jpeg: 'VipsForeignLoadJpeg', webp: 'VipsForeignLoadWebp' };

// What sharp says of a file that it does not take: its first line.
const wordsOf = (error) =>
  error.message
    .split('\n')[0]
    .replace(/^Vips\w+: /, '')
    .slice(0, 200);

async function load() {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * By the type of their contents, as `formats` of develop.mjs; {} where sharp is not installed. `decode` promises what `read` takes, `encode`
 * a file of the bytes of uint8 [height, width, 3]. Both compute on threads of Node's pool, for at most `ms`.
 */
export async function compressedFormats(ms) {
  const sharp = await load();
  if (sharp === undefined) return {};
  sharp.block({ operation: ['VipsForeignLoad'] }); // of what sharp reads, these alone
  sharp.unblock({ operation: Object.values(loaders) });
  sharp.cache(false); // nothing is kept between two requests
  const seconds = Math.ceil(ms / 1000);

  const decode = (name) => async (bytes, checkSize) => {
    try {
      const image = sharp(bytes, { autoOrient: true, limitInputPixels: false }); // checkSize is the limit
      const { format, width, height } = await image.metadata();
      if (format !== name) throw new Refused(400, `this is no ${name} file`);
      checkSize(height, width);
      const pixels = image.flatten({ background: 'white' }).toColourspace('srgb').timeout({ seconds });
      const { data, info } = await pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
      return { data, shape: [info.height, info.width, 3] };
    } catch (error) {
      throw error instanceof Refused ? error : new Refused(400, wordsOf(error));
    }
  };
  const read = ({ data, shape }) => fromBytes(data, { dtype: 'uint8', shape });
  const encode =
    (name) =>
    (bytes, [height, width]) =>
      sharp(bytes, { raw: { width, height, channels: 3 } })
        .timeout({ seconds })
        .toFormat(name)
        .toBuffer();
  return Object.fromEntries(
    Object.keys(loaders).map((name) => [
      `image/${name}`,
      { decode: decode(name), read, encode: encode(name) },
    ]),
  );
}
