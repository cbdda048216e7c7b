import type { LeadingDatePart } from '#core/format/date-text.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Shape } from '#app/export/shapes.ts';
import type { PlainSheet } from '#app/export/xlsx/plain-sheet.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

/*
 * A presentation of one slide with a chart that can be edited, and the workbook behind it. Written as parts of XML
 * straight into a zip, in the order of elements that the schema demands.
 * https://ecma-international.org/publications-and-standards/standards/ecma-376/
 *
 * Not by pptxgenjs 4.0.1: its workbooks leave the cell of a count of zero empty, as if it were unknown, and have dates as
 * texts; its notes are one paragraph; and two files with the same data differ.
 */

/** A line, bar or area of a chart. */
export interface DeckSeries {
  /** The heading of its column. */
  readonly name: string;
  /** NaN is a gap. */
  readonly values: readonly number[];
  readonly colour: string;
  readonly dash: readonly number[];
  readonly thin: boolean;
  /** True if it is a line on the right axis. */
  readonly right: boolean;
  readonly labels: readonly { readonly i: number; readonly text: string }[];
}

export interface DeckBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DeckChart {
  /** For those who do not see it. */
  readonly description: string;
  readonly box: DeckBox;
  /** The place inside the axes, on the slide. */
  readonly plot: DeckBox;
  readonly kind: 'line' | 'area' | 'bar';
  readonly grouping: 'standard' | 'clustered' | 'stacked' | 'percentStacked';
  /** True if bars touch each other. */
  readonly full: boolean;
  readonly share: boolean;
  readonly log: boolean;
  /** Of its axes; null for no right one. */
  readonly unit: { readonly left: Unit; readonly right: Unit | null };
  readonly legend: boolean;
  /** The sheet with its values. */
  readonly sheet: string;
  readonly resolution: Resolution;
  readonly order: LeadingDatePart;
  /** True if the sheet has times after its dates, and both in one cell after these. */
  readonly timed: boolean;
  /** Wall times of its points, ms as if they were UTC. */
  readonly walls: readonly number[];
  /** True for unfinished points. */
  readonly open: readonly boolean[];
  readonly series: readonly DeckSeries[];
}

/** A slide; positions in px, which are points. */
export interface Deck {
  readonly width: number;
  readonly height: number;
  readonly base: BaseColours;
  /** Colours of series. */
  readonly accents: readonly string[];
  readonly title: { readonly said: string; readonly size: number } & DeckBox;
  readonly shapes: readonly Shape[];
  readonly chart: DeckChart;
  /** The values of the chart, if these are not the counts. */
  readonly drawn: PlainSheet | null;
  /** Paragraphs of the speaker's notes. */
  readonly notes: readonly string[];
  /** The time of writing, epoch ms. */
  readonly at: number;
}
