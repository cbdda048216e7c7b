/**
 * The number of the account, and of the project, that an app is on its own. The platform's type of a project has 31
 * bits, and a number of JSON must be exact for every client, so it follows from the app's id; `1` stays `1`.
 */
export function accountNumber(app: string): number {
  return Number(BigInt(app) % 2_147_483_647n);
}
