import type { Marker } from '#app/ui/series-style.ts';

/** A marked point of a curve. */
export interface CurveMark {
  readonly at: readonly [x: number, height: number];
  readonly symbol: Marker;
  /** Its width and height, px. */
  readonly size: number;
  readonly fill: string;
  /** Of its outline; absent for none. */
  readonly stroke?: string;
  readonly strokeWidth?: number;
  readonly opacity?: number;
}

/** A text next to a point. */
export interface CurveLabel {
  readonly at: readonly [x: number, height: number];
  readonly text: string;
  /** Distance of its anchor from the point, px. */
  readonly offset: readonly [x: number, y: number];
  readonly align: 'left' | 'center' | 'right';
  readonly verticalAlign: 'top' | 'middle';
  readonly color: string;
  /** Outline of the letters, so that lines behind do not cross them; absent for none. */
  readonly halo?: string;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly fontWeight?: number;
}

/** A line of the chart with what belongs to it, in the values of the axes: epoch ms and heights. */
export interface DrawnCurve {
  readonly id: string;
  /** True if it is on the right axis. */
  readonly right?: boolean;
  /** Curves of a higher number are in front; 3 by default. Bars have 2. */
  readonly z?: number;
  /** Interleaved `x, height`; the line has a gap at each NaN height. Absent for marks or a label alone. */
  readonly points?: Float64Array;
  /** Absent for a fill or marks alone. */
  readonly line?: {
    readonly color: string;
    readonly width: number;
    readonly opacity?: number;
    /** Lengths of dashes and gaps, px. */
    readonly dash?: readonly number[];
  };
  /** From the line down to zero, or to heights at the same points, interleaved `x, height`. */
  readonly fill?: {
    readonly color: string;
    readonly opacity: number;
    readonly to?: Float64Array;
  };
  readonly marks?: readonly CurveMark[];
  readonly label?: CurveLabel;
}

/** The component's part of an option. ECharts would copy a list of curves with all their points at every frame. */
export interface CurvesOption {
  readonly of: () => readonly DrawnCurve[];
}
