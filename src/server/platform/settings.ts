import * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { PlatformSettings } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';

/** Stored settings, and whether the caps could be read. */
export interface StoredSettings {
  readonly settings: PlatformSettings;
  /** False if the caps are stored in an unknown form: nothing may be bought then. */
  readonly capsRead: boolean;
}

const NOTHING = { requests: 0, money: 0 };
/** Replaces caps that cannot be read, so that saving the displayed settings raises none. */
const NO_CAPS: PlatformSettings['caps'] = { day: NOTHING, month: NOTHING };

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The members of a value that fit a schema, with `otherwise` for the others. */
function fitting(schema: v.GenericSchema, value: unknown, otherwise: unknown): unknown {
  if (!('entries' in schema)) return v.is(schema, value) ? value : otherwise;
  const entries = Object.entries(schema.entries as Record<string, v.GenericSchema>);
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      fitting(member, memberOf(value, name), memberOf(otherwise, name)),
    ]),
  );
}

/**
 * Reads settings that another version may have stored: fitting members stay, unknown ones are dropped,
 * missing or wrong ones get the public figures. Caps must be complete: if one figure is unknown,
 * missing or wrong, they are not read, and the doubtful figures become 0.
 *
 * @param stored - Undefined if there is none.
 */
export function readSettings(stored: unknown): StoredSettings {
  if (stored === undefined) return { settings: DEFAULT_PLATFORM_SETTINGS, capsRead: true };
  const whole = typeof stored === 'object' && stored !== null && !Array.isArray(stored);
  const caps = memberOf(stored, 'caps');
  const capsRead = whole && (caps === undefined || v.is(PlatformSettings.entries.caps, caps));
  const otherwise = capsRead
    ? DEFAULT_PLATFORM_SETTINGS
    : { ...DEFAULT_PLATFORM_SETTINGS, caps: NO_CAPS };
  return {
    settings: v.parse(PlatformSettings, fitting(PlatformSettings, stored, otherwise)),
    capsRead,
  };
}

/** @throws {@link Fault} 503 if the caps cannot be read. */
export function refuseUnread({ capsRead }: StoredSettings): void {
  if (capsRead) return;
  const detail =
    'Your caps cannot be read, because another version of this service saved them: nothing is bought until you save the platform settings again.';
  throw plainProblem(503, 'Service Unavailable', detail);
}
