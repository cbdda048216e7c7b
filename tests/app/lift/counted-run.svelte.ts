import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import type { Curve } from '#core/series/series.ts';

type Method = 'ask' | 'peek' | 'refresh';

/** A run that notes its calls and has the counts that a test gives it. */
export class CountedRun {
  phase = $state<Run['phase']>('idle');
  curve = $state.raw<Curve | null>(null);
  fault = $state.raw<Run['fault']>(null);
  readonly seams: Run['seams'] = [];
  readonly calls: string[] = [];
  isDisposed = false;
  #end: () => void = () => undefined;

  ask = (need: Need): Promise<void> => this.#begin('ask', need);
  peek = (need: Need): Promise<void> => this.#begin('peek', need);
  refresh = (need: Need): Promise<void> => this.#begin('refresh', need);

  dispose(): void {
    this.isDisposed = true;
  }

  /** Ends the present load. */
  end(phase: Run['phase'], curve: Curve | null = this.curve, fault: Run['fault'] = null): void {
    [this.phase, this.curve, this.fault] = [phase, curve, fault];
    this.#end();
  }

  async #begin(method: Method, { query }: Need): Promise<void> {
    this.calls.push(`${method} ${query}`);
    this.phase = 'reading';
    await new Promise<void>((resolve) => (this.#end = resolve));
  }
}
