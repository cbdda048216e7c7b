/** Thrown where nothing more can be bought: a cap is reached, the platform refuses, or its answers are wrong. */
export class PlatformStop extends Error {
  override readonly name = 'PlatformStop';
}
