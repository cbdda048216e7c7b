import { KIND_FACTS, onKinds, type EventKind } from './event.ts';

/** The kinds of events that the user switched. */
export class KindSwitches {
  /** See {@link onKinds}; unknown kinds stay, for other versions. */
  switched = $state.raw<readonly string[]>([]);
  /** In their order. */
  readonly on: readonly EventKind[] = $derived.by(() => onKinds(this.switched));

  turn(kind: EventKind, on: boolean): void {
    const others = this.switched.filter((each) => each.slice(1) !== kind);
    this.switched = on === KIND_FACTS[kind].on ? others : [...others, `${on ? '+' : '-'}${kind}`];
  }
}
