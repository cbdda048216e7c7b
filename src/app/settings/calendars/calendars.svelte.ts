import { call } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';
import { Changes, Loaded, type Changing } from '#app/settings/loaded.svelte.ts';
import { CALENDARS, type CalendarInfo } from '#contract/accounts/calendars.ts';
import { addCalendarFile } from './add-calendar.ts';

interface CalendarSettingsDeps extends Changing {
  /** Called when there are other events than before. */
  readonly onchanged: () => void;
}

/** The calendars of the service as the settings list and change them. */
export class CalendarSettings {
  readonly #deps: CalendarSettingsDeps;
  readonly all = new Loaded(() => call(this.#deps.client, CALENDARS.list));
  /** The countries whose holidays are known, once they are wanted. */
  readonly countries = new Loaded(() => call(this.#deps.client, CALENDARS.countries));
  /** True while the holidays of a country are being chosen. */
  choosing = $state(false);
  /** Codes; empty for none. */
  country = $state('');
  region = $state('');
  /** The typed address. */
  address = $state('');
  /** The reason the last calendar could not be added; empty if it was. */
  fault = $state('');
  /** True while one is added. */
  adding = $state(false);
  readonly changes = new Changes((text) => (this.fault = text));

  constructor(deps: CalendarSettingsDeps) {
    this.#deps = deps;
  }

  async #add(work: () => Promise<unknown>): Promise<boolean> {
    if (this.adding) return false;
    [this.adding, this.fault] = [true, ''];
    try {
      await work();
      this.#deps.onchanged();
      await this.all.reload();
      return true;
    } catch (error) {
      this.fault = faultText(error);
      return false;
    } finally {
      this.adding = false;
    }
  }

  async addFile(file: File): Promise<void> {
    await this.#add(() => addCalendarFile(this.#deps.client, file));
  }

  async addAddress(): Promise<void> {
    const url = this.address.trim();
    if (url === '') return;
    const body = { url };
    if (await this.#add(() => call(this.#deps.client, CALENDARS.addAddress, { body })))
      this.address = '';
  }

  /** Lists the countries. */
  chooseHolidays(): void {
    this.choosing = true;
    if (!this.countries.value) void this.countries.load();
  }

  chooseCountry(code: string): void {
    [this.country, this.region] = [code, ''];
  }

  async addHolidays(): Promise<void> {
    if (this.country === '') return;
    const body = { country: this.country, region: this.region || null };
    if (await this.#add(() => call(this.#deps.client, CALENDARS.addHolidays, { body }))) {
      this.choosing = false;
      this.chooseCountry('');
    }
  }

  async remove({ id, name }: CalendarInfo): Promise<void> {
    const { client, say, onchanged } = this.#deps;
    const input = { params: { id } };
    const change = (work: () => Promise<unknown>): Promise<boolean> =>
      this.changes.make(id, async () => {
        await work();
        onchanged();
        await this.all.reload();
      });
    if (!(await change(() => call(client, CALENDARS.remove, input)))) return;
    say(`“${name}” was removed.`, () => void change(() => call(client, CALENDARS.restore, input)));
  }
}
