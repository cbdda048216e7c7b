import { ComponentModel, ComponentView, graphic, helper, use } from 'echarts/core';
import type { CurveLabel, CurveMark, CurvesOption } from './curve.ts';

/** Converts values of two axes to px: `x * scaleX + fromX`, and the same for heights. */
interface Place {
  readonly scaleX: number;
  readonly fromX: number;
  readonly scaleY: number;
  readonly fromY: number;
}

interface Outline extends Place {
  readonly points: Float64Array;
}
interface Band extends Outline {
  /** Interleaved `x, height`; null for {@link floor} everywhere. */
  readonly to: Float64Array | null;
  /** The height of zero, or the end of the axis nearest to it. */
  readonly floor: number;
}

/** The part of zrender's paths that a shape draws with. */
interface Pen {
  moveTo(x: number, y: number): unknown;
  lineTo(x: number, y: number): unknown;
  closePath(): unknown;
}

const NONE = { points: new Float64Array(0), scaleX: 1, fromX: 0, scaleY: 1, fromY: 0 };

const OutlinePath = graphic.extendShape({
  shape: NONE,
  buildPath(pen: Pen, { points, scaleX, fromX, scaleY, fromY }: Outline) {
    let drawn = false;
    for (let i = 1; i < points.length; i += 2) {
      const height = points[i] as number;
      if (height !== height) {
        drawn = false;
        continue;
      }
      const x = (points[i - 1] as number) * scaleX + fromX;
      const y = height * scaleY + fromY;
      if (drawn) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      drawn = true;
    }
  },
});

const BandPath = graphic.extendShape({
  shape: { ...NONE, to: null, floor: 0 },
  buildPath(pen: Pen, { points, to, floor, scaleX, fromX, scaleY, fromY }: Band) {
    const x = (i: number): number => (points[i - 1] as number) * scaleX + fromX;
    for (let i = 1; i < points.length; i += 2) {
      const start = i;
      for (; i < points.length && points[i] === points[i]; i += 2) {
        const y = (points[i] as number) * scaleY + fromY;
        if (i === start) pen.moveTo(x(i), y);
        else pen.lineTo(x(i), y);
      }
      for (let back = i - 2; back >= start; back -= 2)
        pen.lineTo(x(back), (to ? (to[back] as number) : floor) * scaleY + fromY);
      if (i > start) pen.closePath();
    }
  },
});

/** An axis of a grid, as {@link ComponentView} finds it. */
interface GridAxis {
  readonly scale: { getExtent(): [number, number] };
  dataToCoord(value: number): number;
  toGlobalCoord(coord: number): number;
}

/** Slope and offset of an axis, px. */
function linearOf(axis: GridAxis): [number, number] {
  const [low, high] = axis.scale.getExtent();
  const [from, to] = [low, high].map((end) => axis.toGlobalCoord(axis.dataToCoord(end))) as [
    number,
    number,
  ];
  const slope = (to - from) / (high - low);
  return [slope, from - low * slope];
}

/** Adds an element to a group. Their types disagree about undefined members. */
function add(group: graphic.Group, element: unknown): void {
  group.add(element as Parameters<typeof group.add>[0]);
}

/** Margin of the plot in which lines along its edges are still drawn, px. */
const EDGE_PX = 1;
/** Margin of the plot in which a point still has its mark, for rounding, px. */
const NEAR_PX = 0.1;

class CurvesModel extends ComponentModel {
  static type = 'curves';
  override type = CurvesModel.type;
  static override dependencies = ['grid', 'xAxis', 'yAxis'];
  // Curves have their own.
  override preventAutoZ = true;
}

/** Fills are behind all lines of the same z, and marks in front of them. */
const LAYER = { fill: 0, line: 10, mark: 100 };

class CurvesView extends ComponentView {
  static type = 'curves';
  readonly type = CurvesView.type;

  override render(...[model, ecModel]: Parameters<ComponentView['render']>): void {
    const axisOf = (name: string, index: number): GridAxis =>
      (ecModel.getComponent(name, index) as unknown as { axis: GridAxis }).axis;
    const grid = ecModel.getComponent('grid') as unknown as {
      coordinateSystem: { getRect(): { x: number; y: number; width: number; height: number } };
    };
    const { x, y, width, height } = grid.coordinateSystem.getRect();
    const [scaleX, fromX] = linearOf(axisOf('xAxis', 0));
    const lines = new graphic.Group();
    lines.setClipPath(
      new graphic.Rect({
        shape: {
          x: x - EDGE_PX,
          y: y - EDGE_PX,
          width: width + 2 * EDGE_PX,
          height: height + 2 * EDGE_PX,
        },
      }),
    );
    this.group.removeAll();
    this.group.add(lines);
    const { of } = model.option as CurvesOption;
    for (const curve of of()) {
      const { points = NONE.points, z = 3, line, fill, marks = [], label } = curve;
      const axis = axisOf('yAxis', curve.right ? 1 : 0);
      const [scaleY, fromY] = linearOf(axis);
      const place = { scaleX, fromX, scaleY, fromY };
      const base = { z, silent: true };
      if (fill) {
        const [low, high] = axis.scale.getExtent();
        const floor = Math.min(high, Math.max(low, 0));
        const { to = null, color, opacity } = fill;
        const shape = { ...place, points, to, floor };
        const style = { fill: color, opacity };
        add(lines, new BandPath({ ...base, z2: LAYER.fill, shape, style }));
      }
      if (line) {
        const { color: stroke, width: lineWidth, opacity = 1, dash = [] } = line;
        const look = { stroke, lineWidth, opacity, fill: 'none', lineJoin: 'round' } as const;
        const style = dash.length > 0 ? { ...look, lineDash: [...dash] } : look;
        const shape = { ...place, points };
        add(lines, new OutlinePath({ ...base, z2: LAYER.line, shape, style }));
      }
      const at = ([x, height]: CurveMark['at']): [number, number] => [
        x * scaleX + fromX,
        height * scaleY + fromY,
      ];
      for (const mark of marks) {
        const [left, top] = at(mark.at);
        if (left < x - NEAR_PX || left > x + width + NEAR_PX) continue;
        if (top < y - NEAR_PX || top > y + height + NEAR_PX) continue;
        add(this.group, markOf(mark, left, top, z));
      }
      if (label) this.group.add(labelOf(label, ...at(label.at), z));
    }
  }
}

function markOf(
  { symbol, size, fill, stroke, strokeWidth = 0, opacity = 1 }: CurveMark,
  x: number,
  y: number,
  z: number,
) {
  const mark = helper.createSymbol(symbol, x - size / 2, y - size / 2, size, size, fill);
  if (stroke) mark.setStyle({ stroke, lineWidth: strokeWidth });
  mark.setStyle({ opacity });
  mark.attr({ z, z2: LAYER.mark, silent: true });
  return mark;
}

function labelOf(label: CurveLabel, x: number, y: number, z: number) {
  const { at: _, offset, halo, color: fill, ...style } = label;
  const place = { x: x + offset[0], y: y + offset[1] };
  const outline = halo && { stroke: halo, lineWidth: 3 };
  const whole = { ...style, fill, ...place, ...outline };
  return new graphic.Text({ z, z2: LAYER.mark, silent: true, style: whole });
}

/**
 * Adds curves to ECharts: lines, fills, marks and labels on the axes of a grid. Its own lines copy every point into a
 * table of numbers, then into one of positions; with these, a frame takes little more than painting it.
 */
use((registers) => {
  registers.registerComponentModel(CurvesModel);
  registers.registerComponentView(CurvesView);
});
