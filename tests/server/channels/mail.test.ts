import { afterEach, describe, expect, it } from 'vitest';
import { MailAddressError, openMail } from '#server/channels/mail.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { startMailServer } from '#tests/support/service/mail-server.ts';

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function server() {
  const started = await startMailServer();
  closings.push(started.close);
  return started;
}

function opened(address: string) {
  const mail = openMail(address);
  closings.push(mail.close);
  return mail;
}

describe('a mail server', () => {
  it('gets messages as text, with one line as their subject', async () => {
    const { mails, port } = await server();
    const { send } = opened(`smtp://ann%40x:p%20w@127.0.0.1:${port}?from=alerts@example.com`);
    await send(
      'bob@example.com',
      'Oat\r\nBcc: eve@example.com',
      'Oat milk is at 4 times its usual.',
    );
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatch(/^From: alerts@example\.com\r\nTo: bob@example\.com\r\nSubject: /);
    expect(mails[0]).not.toMatch(/^Bcc:/im);
    expect(mails[0]).toContain('Oat milk is at 4 times its usual.');
  });

  it.each([
    ['a name', 'eve:p%20w', 'bob@example.com', 'The mail server refused the name or the password.'],
    ['an address', 'ann%40x:p%20w', 'bob@example.org', 'The mail server refused the address.'],
  ])('that refuses %s is said to', async (_, login, to, why) => {
    const { port } = await server();
    const { send } = opened(`smtp://${login}@127.0.0.1:${port}?from=a@example.com`);
    await expect(send(to, 'A', 'B')).rejects.toThrow(new FetchError('connection', why));
  });

  it('that is not there is said to be unreachable', async () => {
    const { port, close } = await server();
    await close();
    const { send } = opened(`smtp://127.0.0.1:${port}?from=a@example.com`);
    await expect(send('b@example.com', 'A', 'B')).rejects.toThrow('could not be reached');
  });

  it.each([
    ['https://mail.example?from=a@b.c', /must begin with smtp/],
    ['mail.example', /must begin with smtp/],
    ['smtp://secret:word@mail.example', /must say who sends/],
  ])('is none at %s', (address, message) => {
    expect(() => openMail(address)).toThrow(MailAddressError);
    expect(() => openMail(address)).toThrow(message);
    expect(() => openMail(address)).not.toThrow(/secret/);
  });
});
