import type { AlertSettings } from '#contract/alerts/alerts.ts';
import type { AlertRule } from '#core/alerts/state.ts';
import { alertSentence } from '#core/alerts/words.ts';
import type { AlertMessage } from '#core/alerts/alert-message.ts';

/** A message in English, without a full stop. */
export function sentenceOf(
  {
    settings: { name, zone },
    rule: { unit },
  }: { readonly settings: AlertSettings; readonly rule: AlertRule },
  message: AlertMessage,
): string {
  return alertSentence(message, { topic: name, unit, zone, order: 'day', locale: 'en' });
}
