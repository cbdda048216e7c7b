import type { Basis } from '#core/series/basis.ts';
import { buildPyramid, type Pyramid } from '#core/series/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** The run of a series that sends no requests: its curve is computed from others or comes from a file. */
export class StaticRun implements Run {
  readonly phase = 'done';
  readonly plan = null;
  readonly made = { requests: 0, money: 0, bytes: 0 };
  readonly progress = { done: 0, total: 0 };
  readonly wait = null;
  readonly fault = null;
  readonly offline = false;
  readonly outdated = false;
  readonly elsewhere = null;
  readonly requests = 0;
  readonly seams = [];
  readonly changes = [];
  readonly key = '';
  readonly probeOffer = null;
  readonly platformSkewMs = null;
  readonly curve: Curve | null = $derived.by(() => this.#curve());
  readonly pyramid: Pyramid | null = $derived.by(
    () => this.curve && buildPyramid(this.curve.counts),
  );
  readonly basis: Basis | null = $derived.by(() => this.#basis());
  readonly upperBounds: boolean = $derived.by(() => this.#bounded());
  readonly #curve: () => Curve | null;
  readonly #bounded: () => boolean;
  readonly #basis: () => Basis | null;

  /**
   * @param curve - Read again whenever its inputs change.
   * @param bounded - Whether its counts are upper bounds.
   * @param basis - The basis from which its figures are computed, if that is not the curve.
   */
  constructor(
    curve: () => Curve | null,
    bounded: () => boolean = () => false,
    basis: () => Basis | null = () => null,
  ) {
    this.#curve = curve;
    this.#bounded = bounded;
    this.#basis = basis;
  }

  ask(): Promise<void> {
    return Promise.resolve();
  }
  refresh(): Promise<void> {
    return Promise.resolve();
  }
  peek(): Promise<void> {
    return Promise.resolve();
  }
  quote(): Promise<null> {
    return Promise.resolve(null);
  }
  pause(): void {}
  async resume(): Promise<void> {}
  cancel(): void {}
  dispose(): void {}
  audit(): Promise<void> {
    return Promise.resolve();
  }
  probe(): Promise<void> {
    return Promise.resolve();
  }
  rebuy(): Promise<void> {
    return Promise.resolve();
  }
}
