import { crc32, deflateSync } from 'node:zlib';

// Small files of media, made byte by byte.

const uint8 = (n: number): Buffer => Buffer.from([n]);
const uint16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff]);
const uint32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};
const little16 = (n: number): Buffer => Buffer.from([n & 0xff, n >> 8]);
const little32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n);
  return bytes;
};

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

/** A PNG (W3C PNG, section 5) of one color. @param fill - Bytes of a private chunk, to make it larger. */
export function png(width: number, height: number, fill = 0): Buffer {
  const header = Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 0, 0, 0, 0])]);
  const rows = Buffer.alloc(height * (width + 1));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(fill > 0 ? [chunk('prVt', Buffer.alloc(fill))] : []),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The headers of a JPEG (ITU T.81, Annex B). @param before - Bytes of comments before the size. */
export function jpeg(width: number, height: number, before = 0): Buffer {
  const segment = (mark: number, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0xff, mark]), uint16(data.length + 2), data]);
  const comments: Buffer[] = [];
  for (let rest = before; rest > 0; rest -= 65_000) {
    comments.push(segment(0xfe, Buffer.alloc(Math.min(rest, 65_000))));
  }
  const size = Buffer.concat([uint8(8), uint16(height), uint16(width), Buffer.from([1, 1, 17, 0])]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...comments,
    segment(0xc0, size),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0, 0xff, 0xd9]),
  ]);
}

/** A bitmap of one color. */
export function bmp(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(((width * 3 + 3) & ~3) * height);
  const header = [little32(40), little32(width), little32(height), little16(1), little16(24)];
  const info = Buffer.concat([...header, Buffer.alloc(24)]);
  const size = 14 + info.length + pixels.length;
  const file = [Buffer.from('BM'), little32(size), little32(0), little32(14 + info.length)];
  return Buffer.concat([...file, info, pixels]);
}

/** A GIF (GIF89a) with one pixel in each image. @param fill - Bytes of a comment. */
export function gif(width: number, height: number, images: number, fill = 0): Buffer {
  const image = Buffer.concat([
    // Shown for a tenth of a second.
    Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0]),
    Buffer.from([2, 2, 0x44, 1, 0]),
  ]);
  const comment: Buffer[] = [Buffer.from([0x21, 0xfe])];
  for (let rest = fill; rest > 0; rest -= 255) {
    const length = Math.min(rest, 255);
    comment.push(uint8(length), Buffer.alloc(length));
  }
  return Buffer.concat([
    Buffer.from('GIF89a'),
    little16(width),
    little16(height),
    // A global table of two colors.
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...comment,
    uint8(0),
    ...Array<Buffer>(images).fill(image),
    uint8(0x3b),
  ]);
}

/** A box of an MP4 (ISO/IEC 14496-12). */
export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

export interface Mp4Options {
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** Images per second. */
  readonly rate?: number;
  /** Bytes of the images; they are zeros. */
  readonly fill?: number;
  /** Major brand; `qt  ` for QuickTime. */
  readonly brand?: string;
  /** True if it is shown turned by a quarter. */
  readonly turned?: boolean;
  /** Kind of its only track. */
  readonly handler?: string;
  /** Further boxes of the table of samples. */
  readonly more?: readonly Buffer[];
}

const SCALE = 600;

/** An MP4 with one track whose images are zeros. */
export function mp4(options: Mp4Options = {}): Buffer {
  const { width = 640, height = 360, seconds = 2, rate = 30, fill = 1000 } = options;
  const { brand = 'isom', turned = false, handler = 'vide', more = [] } = options;
  const zeros = (n: number): Buffer => Buffer.alloc(n);
  const duration = Math.round(seconds * SCALE);
  const images = Math.round(seconds * rate);
  const one = 0x10000;
  const matrix = Buffer.concat(
    (turned
      ? [0, one, 0, -one, 0, 0, 0, 0, 0x40000000]
      : [one, 0, 0, 0, one, 0, 0, 0, 0x40000000]
    ).map((n) => uint32(n >>> 0)),
  );
  const full = (type: string, ...parts: readonly Buffer[]): Buffer => box(type, zeros(4), ...parts);
  const times = full('stts', uint32(1), uint32(images), uint32(Math.round(SCALE / rate)));
  const samples = box(
    'stbl',
    full('stsd', uint32(0)),
    times,
    full('stsz', uint32(100), uint32(images)),
    full('stsc', uint32(0)),
    full('stco', uint32(0)),
    ...more,
  );
  const header = full(
    'tkhd',
    zeros(8),
    uint32(1),
    zeros(4),
    uint32(duration),
    zeros(16),
    matrix,
    uint32(width * one),
    uint32(height * one),
  );
  const media = box(
    'mdia',
    full('mdhd', zeros(8), uint32(SCALE), uint32(duration), zeros(4)),
    full('hdlr', zeros(4), Buffer.from(handler), zeros(13)),
    box('minf', samples),
  );
  const movie = full('mvhd', zeros(8), uint32(SCALE), uint32(duration), zeros(80));
  return Buffer.concat([
    box(
      'ftyp',
      Buffer.from(brand),
      uint32(512),
      Buffer.from(brand === 'isom' ? 'isomavc1' : brand),
    ),
    box('mdat', zeros(fill)),
    box('moov', movie, box('trak', header, media)),
  ]);
}

export const VTT = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n');
export const SRT = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n');

/** The body of a multipart form, with its content type. The file comes where `media` is listed. */
export function form(fields: Readonly<Record<string, string | Buffer>>): {
  body: Uint8Array<ArrayBuffer>;
  type: string;
} {
  const boundary = '----a boundary of a test'.replaceAll(' ', '-');
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"`),
    Buffer.from(typeof value === 'string' ? '' : '; filename="blob"\r\ncontent-type: image/png'),
    Buffer.from('\r\n\r\n'),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}
