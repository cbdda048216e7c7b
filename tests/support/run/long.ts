/** True if tests that have a short and a long form run in the long one (`npm run test:long`). */
export function long(): boolean {
  return process.env['GROUNDSWELL_TEST_LONG'] === '1';
}
