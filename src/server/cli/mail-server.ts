import type { Defer } from '#server/closings.ts';
import type { SendMail } from '#server/channels/channels.ts';
import type { CommandDeps } from './command-deps.ts';
import { CommandError } from '#server/command-error.ts';

/**
 * Opens the mail server that the environment names, if it names one.
 *
 * @throws {@link CommandError} for an address that cannot be used.
 */
export async function mailOf(
  { smtp }: Pick<CommandDeps, 'smtp'>,
  defer: Defer,
): Promise<SendMail | null> {
  if (!smtp) return null;
  // Its client takes a while to load.
  const { MailAddressError, openMail } = await import('#server/channels/mail.ts');
  try {
    const mail = openMail(smtp);
    defer(mail.close);
    return mail.send;
  } catch (error) {
    throw error instanceof MailAddressError ? new CommandError(error.message) : error;
  }
}
