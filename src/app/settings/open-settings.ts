import { getContext, setContext } from 'svelte';
import type { SettingsPart } from './settings.ts';

type OpenSettings = (part: SettingsPart) => void;

const KEY = Symbol('settings');

/** Provides what opens the settings at a part to everything on the page. */
export function provideSettings(open: OpenSettings): void {
  setContext(KEY, open);
}

/** The function that opens the settings at a part, while a component initialises; undefined outside the page. */
export const openSettings = (): OpenSettings | undefined =>
  getContext<OpenSettings | undefined>(KEY);
