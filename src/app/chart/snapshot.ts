import type { ChartOption } from './echarts.ts';
import type { ChartMark } from './marks.ts';
import type { Look, Plot } from './option.ts';

/** The chart as it stands on screen, as plain data; places in px from its left and top. */
export interface ChartSnapshot {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
  readonly plot: Plot;
  readonly look: { readonly base: Look; readonly series: readonly string[] };
  readonly marks: readonly (ChartMark & { readonly x: number })[];
  /** What is to be known of the numbers, in few words each. */
  readonly notes: readonly string[];
  /** Summits that are ringed and named. */
  readonly peaks: readonly {
    readonly x: number;
    readonly y: number;
    readonly colour: string;
    readonly text: string;
  }[];
}
