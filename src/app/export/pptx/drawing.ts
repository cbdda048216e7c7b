import { escaped } from '#app/export/markup.ts';
import type { DeckBox } from './deck.ts';
import { OFFICE, PACKAGE, XML } from '#app/export/xlsx/package-parts.ts';

export const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const SHOW = 'http://schemas.openxmlformats.org/presentationml/2006/main';
export const PART_TYPE = 'application/vnd.openxmlformats-officedocument';
export const NAMESPACES = `xmlns:a="${DRAWING}/main" xmlns:r="${OFFICE}" xmlns:p="${SHOW}"`;
/** English Metric Units in a point. */
const EMU = 12_700;
export const LINE_PX = { thin: 1, thick: 2 };
export const AXIS_PX = 11.5;
/** Width of a label on the axis of time, px. */
export const LABEL_PX = 76;

/** Pixels in the unit of drawings. */
export const emu = (px: number): number => Math.round(px * EMU);
export const fillXml = (colour: string, opacity = 1): string =>
  `<a:solidFill><a:srgbClr val="${colour.slice(1).toUpperCase()}">${opacity < 1 ? `<a:alpha val="${Math.round(opacity * 100_000)}"/>` : ''}</a:srgbClr></a:solidFill>`;
export const placeXml = ({ x, y, width, height }: DeckBox, of = 'a'): string =>
  `<${of}:xfrm><a:off x="${emu(x)}" y="${emu(y)}"/><a:ext cx="${emu(width)}" cy="${emu(height)}"/></${of}:xfrm>`;
export const strokeXml = (colour: string, width: number, dash: readonly number[] = []): string => {
  const pairs = dash.flatMap((on, i) => (i % 2 === 0 ? [[on, dash[i + 1] ?? on] as const] : []));
  const parts = pairs.map(
    ([on, off]) =>
      `<a:ds d="${Math.round((on / width) * 100_000)}" sp="${Math.round((off / width) * 100_000)}"/>`,
  );
  const pattern = parts.length > 0 ? `<a:custDash>${parts.join('')}</a:custDash>` : '';
  return `<a:ln w="${emu(width)}" cap="${pattern ? 'flat' : 'rnd'}">${fillXml(colour)}${pattern}<a:round/></a:ln>`;
};
export const runXml = (said: string, size: number, colour: string, bold = false): string =>
  `<a:r><a:rPr lang="en-GB" sz="${Math.round(size * 100)}"${bold ? ' b="1"' : ''} dirty="0">${fillXml(colour)}</a:rPr><a:t>${escaped(said)}</a:t></a:r>`;
/** Properties of the texts of a chart. */
export const textsXml = (size: number, colour: string, bold = false): string =>
  `<c:txPr><a:bodyPr rot="-60000000" vert="horz"/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="${Math.round(size * 100)}" b="${bold ? 1 : 0}">${fillXml(colour)}</a:defRPr></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr>`;

export const NO_GROUP =
  '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>';

export const relationsXml = (
  ...targets: readonly (readonly [type: string, target: string])[]
): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${type.includes('/') ? type : `${OFFICE}/${type}`}" Target="${target}"/>`).join('')}</Relationships>`;
