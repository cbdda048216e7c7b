import { escaped } from './markup.ts';

/** The way a text is drawn. */
export interface TextStyle {
  readonly fill: string;
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Outline of the letters, so that lines behind do not cross them. */
  readonly halo?: string;
}

/** A part of a slide, px: a picture has it as SVG, a presentation as a shape that can be edited. */
export type Shape =
  | {
      readonly is: 'text';
      readonly x: number;
      /** Its base line. */
      readonly y: number;
      readonly said: string;
      readonly style: TextStyle;
    }
  | {
      readonly is: 'line';
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly stroke: string;
      readonly dash?: readonly number[];
    }
  | {
      readonly is: 'rect';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly fill: string;
      /** 1 by default. */
      readonly opacity?: number;
      /** Radius of its corners. */
      readonly rx?: number;
    }
  | {
      readonly is: 'circle';
      readonly x: number;
      readonly y: number;
      readonly r: number;
      readonly fill: string;
    };

export const SMALL_PX = 12;

export const text = (x: number, y: number, said: string, style: TextStyle): Shape => ({
  is: 'text',
  x,
  y,
  said,
  style,
});

/** A text at a position, as SVG. */
export function svgText(x: number, y: number, said: string, style: TextStyle): string {
  const { fill, size = SMALL_PX, weight = 400, anchor = 'start', halo } = style;
  const around = halo ? ` stroke="${halo}" stroke-width="3" paint-order="stroke"` : '';
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${fill}"${around}>${escaped(said)}</text>`;
}

/** Shapes as a part of an SVG document. */
export function svgOf(shapes: readonly Shape[]): string {
  return shapes
    .map((shape) => {
      if (shape.is === 'text') return svgText(shape.x, shape.y, shape.said, shape.style);
      if (shape.is === 'circle') {
        return `<circle cx="${shape.x}" cy="${shape.y}" r="${shape.r}" fill="${shape.fill}"/>`;
      }
      if (shape.is === 'rect') {
        const { x, y, width, height, fill, opacity = 1, rx } = shape;
        const faint = opacity < 1 ? ` fill-opacity="${opacity}"` : '';
        const corners = rx ? ` rx="${rx}"` : '';
        return `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${fill}"${faint}${corners}/>`;
      }
      const { x1, x2, y1, y2, stroke, dash = [] } = shape;
      const pattern = dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : '';
      return `<line x1="${x1.toFixed(1)}" x2="${x2.toFixed(1)}" y1="${y1}" y2="${y2}" stroke="${stroke}"${pattern}/>`;
    })
    .join('');
}
