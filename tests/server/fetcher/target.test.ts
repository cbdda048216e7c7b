import { describe, expect, it } from 'vitest';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { ANYWHERE, PUBLIC_ONLY, readTarget } from '#server/fetcher/target.ts';

function refusal(url: string, rules = PUBLIC_ONLY): string {
  try {
    return readTarget(url, rules).href;
  } catch (error) {
    if (!(error instanceof FetchError) || error.fault !== 'address') throw error;
    return error.message;
  }
}

describe('from anywhere', () => {
  it.each([
    'https://example.com/',
    'https://example.com/webhooks?a=b',
    'https://8.8.8.8/',
    'https://[2001:4860:4860::8888]/',
  ])('%s is accepted', (url) => {
    expect(refusal(url)).toBe(url);
  });

  it.each([
    ['http://example.com/', 'must begin with https'],
    ['ftp://example.com/', 'must be an absolute one'],
    ['example.com', 'must be an absolute one'],
    ['https:example.com', 'must be an absolute one'],
    ['https:///example.com', 'must be an absolute one'],
    ['https://example.com/#part', 'must be an absolute one'],
    ['https://example.com:443/', 'must not contain a port'],
    ['https://example.com:8443/', 'must not contain a port'],
    ['https://example.com:/', 'must not contain a port'],
    ['https://[2001:4860:4860::8888]:443/', 'must not contain a port'],
    ['https://ann@example.com/', 'must not contain a username or password'],
    ['https://ann:secret@example.com/', 'must not contain a username or password'],
    ['https://example.com\\@127.0.0.1/', 'must not contain white space'],
    ['https://example.com/ x', 'must not contain white space'],
    ['https://exa\tmple.com/', 'must not contain white space'],
    ['https://127.0.0.1/', 'not public (loopback)'],
    ['https://localhost/', 'not public (loopback)'],
    ['https://Shop.LOCALHOST./', 'not public (loopback)'],
    ['https://10.0.0.1/', 'not public (private)'],
    ['https://169.254.169.254/latest', 'not public (linkLocal)'],
    ['https://[::1]/', 'not public (loopback)'],
    ['https://[::ffff:7f00:1]/', 'not public (ipv4Mapped)'],
    ['https://[64:ff9b::a00:1]/', 'not public (rfc6052)'],
    ['https://2130706433/', 'must spell its IP address as 127.0.0.1'],
    ['https://0x7f.1/', 'must spell its IP address as 127.0.0.1'],
    ['https://0177.0.0.1/', 'must spell its IP address as 127.0.0.1'],
    ['https://127.1/', 'must spell its IP address as 127.0.0.1'],
    ['https://127.0.0.1./', 'must spell its IP address as 127.0.0.1'],
    ['https://１２７.0.0.1/', 'must spell its IP address as 127.0.0.1'],
    ['https://%31%32%37.0.0.1/', 'must spell its IP address as 127.0.0.1'],
    ['https://8.8.2056/', 'must spell its IP address as 8.8.8.8'],
    ['https://[::ffff:127.0.0.1]/', 'must spell its IP address as [::ffff:7f00:1]'],
    ['https://[0:0:0:0:0:0:0:1]/', 'must spell its IP address as [::1]'],
  ])('%s is refused: %s', (url, why) => {
    expect(refusal(url)).toContain(why);
  });
});

describe('on the own machine', () => {
  it.each(['http://127.0.0.1:8080/hook', 'https://localhost:8443/', 'http://[::1]:1234/'])(
    '%s is accepted',
    (url) => {
      expect(refusal(url, ANYWHERE)).toBe(url);
    },
  );

  it.each([
    ['https://ann@localhost/', 'must not contain a username or password'],
    ['http://0x7f.1/', 'must spell its IP address as 127.0.0.1'],
    ['file:///etc/passwd', 'must be an absolute one'],
    ['http://169.254.169.254/latest/meta-data', 'not public (linkLocal).'],
    ['http://[fe80::1]/', 'not public (linkLocal).'],
    ['http://[::ffff:a9fe:a9fe]/', 'not public (linkLocal).'],
  ])('%s is refused: %s', (url, why) => {
    expect(refusal(url, ANYWHERE)).toContain(why);
  });
});

it.each([
  ['10.0.0.1', true],
  ['127.0.0.1', true],
  ['169.254.169.254', false],
])('a refusal of %s names the option that allows it: %s', (address, hint) => {
  expect(refusal(`https://${address}/`).includes('--allow-private')).toBe(hint);
});
