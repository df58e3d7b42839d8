// compressed.mjs - pictures as PNG, JPEG and WebP: sharp reads and writes them, where it is installed (`npm install sharp`).
import { fromBytes } from 'stria';
import { Refused } from './develop.mjs';

const loaders = { png: 'VipsForeignLoadPng', jpeg: 'VipsForeignLoadJpeg', webp: 'VipsForeignLoadWebp' };

async function load() {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

// What sharp says that it does not take of a file, by its first line. All else is a mistake of this program.
const refusalOf = (error) =>
  error.constructor === Error
    ? new Refused(400, error.message.split('\n')[0].replace(/:$/, '').slice(0, 200))
    : error;

// Work that gets the milliseconds which are left: when sharp, which counts whole seconds, ends it, nobody waits for it any more.
async function within(ms, open, finish) {
  try {
    return await finish(open().timeout({ seconds: Math.min(3600, Math.max(1, Math.ceil(ms / 1000))) }));
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * By the type of their contents, as `formats` of develop.mjs; {} where sharp is not installed. `decode` promises what `read` takes, `encode`
 * a file of the bytes of uint8 [height, width, 3]. Both compute on threads of Node's pool, for about `ms` from when one is free.
 */
export async function compressedFormats() {
  const sharp = await load();
  if (sharp === undefined) return {};
  sharp.block({ operation: ['VipsForeignLoad'] }); // of what sharp reads, these alone
  sharp.unblock({ operation: Object.values(loaders) });
  sharp.cache(false); // nothing is kept between two requests

  const decode = (name) => (bytes, checkSize, ms) =>
    within(
      ms,
      () => sharp(bytes, { autoOrient: true, limitInputPixels: false }),
      async (image) => {
        const { format, width, height } = await image.metadata();
        if (format !== name) throw new Refused(400, `this is no ${name} file`);
        checkSize(height, width); // the limit of pixels
        const pixels = image.flatten({ background: 'white' }).toColourspace('srgb').raw({ depth: 'uchar' });
        const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
        return { data, shape: [info.height, info.width, 3] };
      },
    );
  const read = ({ data, shape }) => fromBytes(data, { dtype: 'uint8', shape });
  const encode =
    (name) =>
    (bytes, [height, width], ms) =>
      within(
        ms,
        () => sharp(bytes, { raw: { width, height, channels: 3 } }),
        (image) => image.toFormat(name).toBuffer(),
      );
  return Object.fromEntries(
    Object.keys(loaders).map((name) => [
      `image/${name}`,
      { decode: decode(name), read, encode: encode(name) },
    ]),
  );
}
