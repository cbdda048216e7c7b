import type { AlertMessage } from '#core/alerts/alert.ts';
import { alertSentence } from '#core/alerts/words.ts';
import type { StoredAlert } from './alert-table.ts';

/** A message in English, without a full stop. */
export function sentenceOf(
  { settings: { name, zone }, rule: { unit } }: Pick<StoredAlert, 'settings' | 'rule'>,
  message: AlertMessage,
): string {
  return alertSentence(message, { topic: name, unit, zone, order: 'day', locale: 'en' });
}
