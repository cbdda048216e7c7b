/** Calls a task after some ms. @returns Cancels that. */
export type Timer = (ms: number, task: () => void) => () => void;
