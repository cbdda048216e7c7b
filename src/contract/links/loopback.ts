/** True for a name that every machine has for itself. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}
