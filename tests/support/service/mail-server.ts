import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server of this machine that takes only mail for example.com, of ann@x with `p w`. */
export async function startMailServer() {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) => {
      const isRight = username === 'ann@x' && password === 'p w';
      done(isRight ? null : new Error('refused'), isRight ? { user: username } : undefined);
    },
    onRcptTo: ({ address }, _, done) =>
      done(address.endsWith('@example.com') ? null : new Error('not here')),
    onData: (stream, _, done) => {
      void text(stream).then((mail) => {
        mails.push(mail);
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const close = (): Promise<void> => new Promise((done) => server.close(() => done()));
  const { port } = server.server.address() as AddressInfo;
  return { mails, port, close };
}
