import { createTransport } from 'nodemailer';
import { errorCode } from '#core/thrown.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { SendMail } from './channels.ts';

/** The time that a mail server may take to accept a connection, to greet, and between two answers, ms. */
const CONNECT_MS = 10 * SECOND_MS;
const ANSWER_MS = 20 * SECOND_MS;

/** The reason in words by nodemailer's code (https://nodemailer.com/usage/using-errors). */
const WHY: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the name or the password.',
  EENVELOPE: 'The mail server refused the address.',
  EMESSAGE: 'The mail server refused the message.',
  ETLS: 'The connection to the mail server could not be encrypted.',
};
const UNREACHABLE = 'The mail server could not be reached.';

/** Thrown for an address of a mail server that cannot be used. The message names no part of it, which may be secret. */
export class MailAddressError extends Error {
  override readonly name = 'MailAddressError';
}

/**
 * Opens a mail server.
 *
 * @param address - `smtp://` or `smtps://` with host, name and password, and `?from=` for the sender of messages.
 * @returns A function that sends a message, and rejects with a {@link FetchError} if the server does not take it.
 * @throws {@link MailAddressError} for another form.
 */
export function openMail(address: string): { readonly send: SendMail; readonly close: () => void } {
  const url = URL.canParse(address) ? new URL(address) : null;
  const from = url?.searchParams.get('from') ?? '';
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new MailAddressError(
      'GROUNDSWELL_SMTP_URL must begin with smtp:// or smtps:// and name a host, such as smtps://name:password@mail.example.com?from=alerts@example.com.',
    );
  }
  if (!from.includes('@')) {
    throw new MailAddressError(
      'GROUNDSWELL_SMTP_URL must say who sends, such as ?from=alerts@example.com.',
    );
  }
  const secure = url.protocol === 'smtps:';
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (to, subject, text) => {
      try {
        await transport.sendMail({ from, to, subject, text });
      } catch (error) {
        const why = WHY[errorCode(error) ?? ''] ?? UNREACHABLE;
        throw new FetchError('connection', why, { cause: error });
      }
    },
    close: () => transport.close(),
  };
}
