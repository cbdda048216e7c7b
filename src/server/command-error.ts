/** A failure whose cause is outside the program. The message is one line for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
