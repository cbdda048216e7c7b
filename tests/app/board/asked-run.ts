import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import type { Curve } from '#core/series/series.ts';

/** A run that only records its needs. */
export class AskedRun implements Run {
  phase: Run['phase'] = 'idle';
  plan = null;
  made = { requests: 0, money: 0, bytes: 0 };
  progress = { done: 0, total: 0 };
  wait = null;
  fault = null;
  offline = false;
  outdated = false;
  elsewhere = null;
  curve: Curve | null = null;
  pyramid = null;
  basis = null;
  requests = 0;
  seams = [];
  changes = [];
  upperBounds = false;
  key = '';
  probeOffer = null;
  platformSkewMs = null;
  readonly needs: Need[] = [];
  ask(need: Need): Promise<void> {
    this.needs.push(need);
    return Promise.resolve();
  }
  refresh(need: Need): Promise<void> {
    return this.ask(need);
  }
  peek(need: Need): Promise<void> {
    return this.ask(need);
  }
  quote(): Promise<null> {
    return Promise.resolve(null);
  }
  pause(): void {
    this.phase = 'paused';
  }
  async resume(): Promise<void> {
    this.phase = 'fetching';
  }
  cancel(): void {
    this.phase = 'cancelled';
  }
  audit(): Promise<void> {
    return Promise.resolve();
  }
  probe(): Promise<void> {
    return Promise.resolve();
  }
  rebuy(): Promise<void> {
    return Promise.resolve();
  }
  dispose(): void {
    this.phase = 'idle';
  }
}
