import { type PlatformAnswer, type Spent } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';

type Cap = PlatformAnswer['settings']['caps']['day'];
interface Parts {
  readonly access?: PlatformAnswer['settings']['access'];
  readonly day?: Cap;
  readonly month?: Cap;
  readonly today?: Spent;
  /** This month. */
  readonly spent?: Spent;
}

/** The service's answer about its platform, with defaults for everything not given. */
export function platformAnswer({ access, day, month, today, spent }: Parts): PlatformAnswer {
  const nothing = { requests: 0, money: 0 };
  const { caps } = DEFAULT_PLATFORM_SETTINGS;
  return {
    host: 'platform.test',
    settings: {
      ...DEFAULT_PLATFORM_SETTINGS,
      access: access ?? DEFAULT_PLATFORM_SETTINGS.access,
      caps: { day: day ?? caps.day, month: month ?? caps.month },
    },
    today: today ?? nothing,
    month: spent ?? today ?? nothing,
    clockAheadMs: null,
    pools: { recent: null, all: null },
  };
}
