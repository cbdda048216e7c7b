/** Reports the progress of a tab that fetches a series to the others. */
export interface TabMessage {
  readonly series: string;
  /** Null: it has stopped. Absent: a tab that opens the series asks the others for their progress. */
  readonly progress?: { readonly done: number; readonly total: number } | null;
}

/** All tabs of this browser that have the page open. */
export interface Tabs<M = TabMessage> {
  send(message: M): void;
  /** @returns Stops listening. */
  listen(listener: (message: M) => void): () => void;
}

/** Connects the tabs through a broadcast channel; a browser without one has each tab on its own. */
export function tabsOver<M = TabMessage>(name: string): Tabs<M> {
  if (!('BroadcastChannel' in globalThis))
    return { send: () => undefined, listen: () => () => undefined };
  const channel = new BroadcastChannel(name);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    send: (message) => channel.postMessage(message),
    listen: (listener) => {
      const on = ({ data }: MessageEvent<M>): void => listener(data);
      channel.addEventListener('message', on);
      return () => channel.removeEventListener('message', on);
    },
  };
}
