import { createContext } from 'svelte';
import type { SettingsPart } from './settings.ts';

/** Opens the settings at a part: the page provides it, and whatever is on the page takes it while it initialises. */
export const [openSettings, provideSettings] = createContext<(part: SettingsPart) => void>();
