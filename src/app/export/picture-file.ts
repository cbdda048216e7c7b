import interFile from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { EmbeddedFont, Picture } from './slide.ts';

/** PNG pixels per SVG pixel. */
const SCALE = 2;

let loaded: Promise<EmbeddedFont | null> | null = null;

/** The page's font, loaded once; null if that fails, in which case the image uses the viewer's. */
export function pageFont(): Promise<EmbeddedFont | null> {
  return (loaded ??= loadFont());
}

async function loadFont(): Promise<EmbeddedFont | null> {
  const response = await fetch(interFile).catch(() => null);
  if (!response?.ok) return null;
  const bytes = new Uint8Array(await response.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { name: 'Inter Variable', base64: btoa(text) };
}

/** Renders an SVG as a PNG. @throws {Error} if the browser cannot draw it. */
async function rastered({ svg, width, height }: Picture): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
    const context = canvas.getContext('2d');
    if (!context) throw new Error('The browser does not provide a canvas.');
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const file = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    if (!file) throw new Error('The browser cannot draw an image of this size.');
    return file;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Draws a picture with the page's font. */
export type DrawPicture = (font: EmbeddedFont | null) => Picture;

/** Draws a picture as a file. @throws {Error} if the browser cannot draw it. */
export async function pictureFile(draw: DrawPicture, form: 'png' | 'svg'): Promise<Blob> {
  const picture = draw(await pageFont());
  if (form === 'png') return await rastered(picture);
  return new Blob([picture.svg], { type: 'image/svg+xml;charset=utf-8' });
}
