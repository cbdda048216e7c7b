import { expect, test } from 'vitest';
import { awayReason } from '#app/board/toolbar/away-reason.ts';

const OWN = { protocol: 'http:', hostname: '127.0.0.1' };
const SHARED = { protocol: 'https:', hostname: 'groundswell.example.org' };
const NETWORK = { protocol: 'http:', hostname: '192.168.1.5' };

test.each([
  [OWN, true, false, 'own'],
  [OWN, false, false, 'own'],
  [OWN, true, true, 'signed-out'],
  [SHARED, true, false, 'shared'],
  [SHARED, true, true, 'signed-out'],
  [SHARED, false, true, 'offline'],
  [NETWORK, true, false, 'shared'],
  [NETWORK, false, false, 'offline'],
] as const)('%j, online %j, signed out %j: %s', (place, online, signedOut, reason) => {
  expect(awayReason(place, online, signedOut)).toBe(reason);
});
