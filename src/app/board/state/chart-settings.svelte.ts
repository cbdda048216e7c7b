import type { Comparison, Form, RowScale, Scale, Trend } from '#app/chart/draw/form.ts';
import type { Target } from '#app/chart/chart-props.ts';
import type { View } from './view.ts';

/** The form in which a board draws its counts, and what it draws with them. */
export class ChartSettings {
  form = $state<Form>('line');
  /** Of small multiples. */
  rows = $state<RowScale>('own');
  #scale = $state<Scale>('linear');
  /** A baseline is given by its series id. */
  trend = $state.raw<Trend>({ kind: 'none' });
  comparison = $state.raw<Comparison>('none');
  /** True if peaks are found and marked. */
  peaks = $state(true);
  forecast = $state(false);
  trendLine = $state(false);
  /** The value that counts are compared with; null for none. */
  target = $state.raw<Target | null>(null);

  /** True if the scale can be chosen: stacked heights add up, so stacks and shares are always linear. */
  readonly scales = $derived.by(() => this.form !== 'stack' && this.form !== 'share');

  get scale(): Scale {
    return this.scales ? this.#scale : 'linear';
  }

  set scale(scale: Scale) {
    this.#scale = scale;
  }

  /** As the address holds it, without the trend, which may refer to a series. */
  view(): Partial<View> {
    const { form, rows, comparison, peaks, forecast, trendLine, target } = this;
    return {
      ...(form !== 'line' && { form }),
      ...(rows !== 'own' && { rows }),
      ...(this.#scale !== 'linear' && { scale: this.#scale }),
      ...(comparison !== 'none' && { comparison }),
      ...(!peaks && { peaks }),
      ...(forecast && { forecast }),
      ...(trendLine && { trendline: true }),
      ...(target && { target }),
    };
  }

  apply(view: View): void {
    this.form = view.form ?? 'line';
    this.rows = view.rows ?? 'own';
    this.#scale = view.scale ?? 'linear';
    this.trend = view.trend ?? { kind: 'none' };
    this.comparison = view.comparison ?? 'none';
    this.peaks = view.peaks ?? true;
    this.forecast = view.forecast ?? false;
    this.trendLine = view.trendline ?? false;
    this.target = view.target ?? null;
  }
}
