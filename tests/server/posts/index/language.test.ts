import { describe, expect, it } from 'vitest';
import { languageOf, UNKNOWN_LANGUAGE } from '#server/posts/index/language.ts';

describe('languageOf', () => {
  it.each([
    ['The weather is nice in the city today', 'en'],
    ['Guten Morgen zusammen, heute ist es schön', 'de'],
    ['Qué bonito día para salir a caminar', 'es'],
    ['это просто тест сообщения', 'ru'],
    ['東京は今日も雨です', 'ja'],
    ['오늘 날씨가 정말 좋네요 여러분', 'ko'],
    ['שלום לכולם, מה שלומכם היום', 'iw'],
    ['@Freund #Kaffee Guten Morgen zusammen https://example.com/the/weather', 'de'],
  ])('finds that of %j', async (text, lang) => {
    expect(await languageOf(text)).toBe(lang);
  });

  it.each([
    ['short', 'tea for two'],
    ['without words', '#coffee @ann 😀 1234567890 https://example.com/the/weather/is/nice'],
    ['between two languages', 'hola amigos que tal'],
    ['no language', 'qwrtz xkcdv bnmgh plkjh'],
  ])('leaves a text that is %s unknown', async (_, text) => {
    expect(await languageOf(text)).toBe(UNKNOWN_LANGUAGE);
  });
});
