import * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { PlatformSettings } from '#contract/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/platform-terms.ts';

/** Settings as far as they can be read. */
export interface StoredSettings {
  readonly settings: PlatformSettings;
  /** False where caps are kept in a form that is not known: nothing may be bought then. */
  readonly capsRead: boolean;
}

const NOTHING = { requests: 0, money: 0 };
/** In place of caps that cannot be read: whoever saves the settings as they are told raises none. */
const NO_ROOM: PlatformSettings['caps'] = { day: NOTHING, month: NOTHING };

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** What of a value fits a schema, member by member; `otherwise` in place of what does not. */
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
 * Reads settings that another version may have put: members that fit are kept, unknown ones left out, missing
 * ones and those that do not fit are the public figures. Of caps nothing may be left out: where one figure is
 * unknown, missing or wrong, they are not read, and figures in doubt are told as 0.
 *
 * @param stored - Undefined where none were put.
 */
export function readSettings(stored: unknown): StoredSettings {
  if (stored === undefined) return { settings: DEFAULT_PLATFORM_SETTINGS, capsRead: true };
  const whole = typeof stored === 'object' && stored !== null && !Array.isArray(stored);
  const caps = memberOf(stored, 'caps');
  const capsRead = whole && (caps === undefined || v.is(PlatformSettings.entries.caps, caps));
  const otherwise = capsRead
    ? DEFAULT_PLATFORM_SETTINGS
    : { ...DEFAULT_PLATFORM_SETTINGS, caps: NO_ROOM };
  return {
    settings: v.parse(PlatformSettings, fitting(PlatformSettings, stored, otherwise)),
    capsRead,
  };
}

/** @throws {@link Fault} 503 where the caps cannot be read. */
export function refuseUnread({ capsRead }: StoredSettings): void {
  if (capsRead) return;
  const detail =
    'Your caps cannot be read, as another version of this service saved them: nothing is bought until you save the settings of the platform anew.';
  throw plainProblem(503, 'Service Unavailable', detail);
}
