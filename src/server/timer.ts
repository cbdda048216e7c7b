/** Calls a task after some ms. @returns Cancels that. */
export type Timer = (ms: number, task: () => void) => () => void;

/** Calls a task every some ms. @returns Ends that. */
export type Every = (ms: number, task: () => unknown) => () => void;
