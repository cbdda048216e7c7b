import { fold } from '#core/text/fold.ts';

/**
 * The fields that a column of a table can be, and the other names by which it is recognised, the better ones first. Names
 * are compared by {@link plainName}. They come from the exports in {@link PRODUCTS}, from public data sets of Posts, and
 * from the interface before v2.
 */
const NAMES = {
  id: ['tweet id', 'tweetid', 'post id', 'status id', 'id str', 'twitter id'],
  url: [
    'tweet permalink',
    'post link',
    'post url',
    'tweet url',
    'permalink',
    'post permalink',
    'perma link',
    'status url',
    'link',
  ],
  created_at: [
    'publish date',
    'tweet time',
    'timestamp',
    'date',
    'datetime',
    'time',
    'published',
    'published at',
    'date published',
    'published date',
    'publish time',
    'posted at',
    'post date',
    'tweet date',
    'created',
    'created date',
    'created time',
    'date created',
  ],
  time_of_day: ['time', 'post time', 'hour'],
  author: [
    'author.username',
    'user.username',
    'author.user name',
    'user.screen name',
    'author.screen name',
    'username',
    'screen name',
    'user screen name',
    'twitter screen name',
    'handle',
    'from user',
    'author handle',
    'user',
    'extra author attributes.short name',
    'extra author attributes.name',
    'influencer',
    'profile',
  ],
  author_name: [
    'full name',
    'extra author attributes.name',
    'author.name',
    'user.name',
    'display name',
    'author display name',
    'user display name',
    'author full name',
    'name',
  ],
  author_id: [
    'author.id',
    'user id',
    'userid',
    'from user id str',
    'twitter author id',
    'twitter user id',
    'twitter id',
  ],
  author_followers: [
    'followers',
    'followers count',
    'follower count',
    'author.public metrics.followers count',
    'user followers count',
    'user.followers count',
    'author.followers',
    'twitter followers',
    'x followers',
  ],
  text: [
    'full text',
    'raw content',
    'tweet text',
    'post text',
    'content',
    'tweet',
    'post',
    'message',
    'hit sentence',
    'body',
    'caption',
    'post message',
    'mention snippet',
    'content snippet',
    'snippet',
    'opening text',
    'title',
  ],
  lang: ['tweet language', 'language'],
  likes: [
    'like count',
    'likes count',
    'public metrics.like count',
    'favorite count',
    'favorites',
    'favourites count',
    'twitter likes',
    'x likes',
  ],
  reposts: [
    'retweets',
    'retweet count',
    'retweets count',
    'public metrics.retweet count',
    'repost count',
    'twitter retweets',
    'x reposts',
    'x retweets',
  ],
  replies: [
    'reply count',
    'replies count',
    'public metrics.reply count',
    'twitter reply count',
    'x reply count',
    'x replies',
  ],
  repost_of: [
    'referenced tweets.retweeted.id',
    'retweeted status id',
    'twitter retweet of',
    'x repost of',
    'x retweet of',
  ],
  reply_to: [
    'referenced tweets.replied to.id',
    'in reply to status id',
    'in reply to status id str',
    'twitter reply to',
    'x reply to',
  ],
  quote_of: ['referenced tweets.quoted.id', 'quoted status id', 'quoted status id str'],
  is_retweet: [],
  is_quote: [],
  is_reply: [],
  engagement_type: [],
  notes_requested: ['note requested', 'note requests'],
  note_links: ['suggested source links', 'suggested source links with counts'],
} as const satisfies Record<string, readonly string[]>;

export type Field = keyof typeof NAMES;

/**
 * Names in other languages and further English ones, as spreadsheets and tools for several languages head their columns:
 * German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish and Japanese.
 */
const LOCAL_NAMES: Readonly<Partial<Record<Field, readonly string[]>>> = {
  url: ['Beitragslink', 'Lien', 'Enlace', 'URL del post', 'URL do post', 'Adresse', 'リンク'],
  created_at: [
    'Date posted',
    'Posted on',
    'Published on',
    'Created on',
    'Publication date',
    'Date time',
    'Datum',
    'Datum und Uhrzeit',
    'Veröffentlicht am',
    'Veröffentlichungsdatum',
    'Veröffentlicht',
    'Erstellt am',
    'Erstellungsdatum',
    'Zeitpunkt',
    'Zeitstempel',
    'Gepostet am',
    'Date de publication',
    'Publié le',
    'Date et heure',
    'Horodatage',
    'Date de création',
    'Fecha',
    'Fecha de publicación',
    'Fecha y hora',
    'Publicado el',
    'Fecha de creación',
    'Data',
    'Data di pubblicazione',
    'Data e ora',
    'Pubblicato il',
    'Data de publicação',
    'Data e hora',
    'Publicado em',
    'Datum en tijd',
    'Publicatiedatum',
    'Data publikacji',
    'Tarih',
    'Yayın tarihi',
    '日付',
    '日時',
    '投稿日時',
    '投稿日',
    '作成日時',
  ],
  time_of_day: ['Uhrzeit', 'Heure', 'Hora', 'Ora', 'Tijd', 'Godzina', 'Saat', '時刻', '時間'],
  author: [
    'Author username',
    'User name',
    'Author name',
    'Account',
    'Account name',
    'Posted by',
    'Verfasser',
    'Verfasserin',
    'Autor',
    'Autorin',
    'Benutzer',
    'Benutzername',
    'Nutzer',
    'Nutzername',
    'Konto',
    'Auteur',
    'Utilisateur',
    "Nom d'utilisateur",
    'Nom d’utilisateur',
    'Compte',
    'Usuario',
    'Nombre de usuario',
    'Cuenta',
    'Autore',
    'Utente',
    'Nome utente',
    'Usuário',
    'Nome de usuário',
    'Utilizador',
    'Conta',
    'Gebruiker',
    'Gebruikersnaam',
    'Użytkownik',
    'Nazwa użytkownika',
    'Yazar',
    'Kullanıcı',
    'Kullanıcı adı',
    '著者',
    '投稿者',
    'ユーザー名',
    'ユーザー',
    'アカウント',
  ],
  text: [
    'Post content',
    'Tweet content',
    'Inhalt',
    'Beitrag',
    'Beitragstext',
    'Nachricht',
    'Texte',
    'Contenu',
    'Texto',
    'Contenido',
    'Mensaje',
    'Publicación',
    'Testo',
    'Contenuto',
    'Messaggio',
    'Conteúdo',
    'Mensagem',
    'Publicação',
    'Tekst',
    'Inhoud',
    'Bericht',
    'Treść',
    'Metin',
    'İçerik',
    'Gönderi',
    '本文',
    'テキスト',
    '投稿内容',
    '内容',
    'ツイート',
  ],
  lang: [
    'Language code',
    'Lang code',
    'Sprache',
    'Sprachcode',
    'Langue',
    'Idioma',
    'Lingua',
    'Língua',
    'Taal',
    'Język',
    'Dil',
    '言語',
  ],
  likes: [
    'Number of likes',
    'Gefällt mir',
    'Gefällt-mir-Angaben',
    "J'aime",
    'J’aime',
    'Me gusta',
    'Mi piace',
    'Curtidas',
    'Gostos',
    'Vind ik leuks',
    'Polubienia',
    'Beğeni',
    'いいね',
    'いいね数',
  ],
  reposts: [
    'Number of retweets',
    'Number of reposts',
    'Retweet',
    'Repost',
    'Geteilt',
    'Partages',
    'Compartidos',
    'Condivisioni',
    'Compartilhamentos',
    'リツイート数',
    'リポスト数',
  ],
  replies: [
    'Number of replies',
    'Antworten',
    'Réponses',
    'Respuestas',
    'Risposte',
    'Respostas',
    'Reacties',
    'Odpowiedzi',
    'Yanıtlar',
    '返信数',
  ],
  is_retweet: [
    'Shared post',
    'Is repost',
    'Retweet',
    'Repost',
    'Geteilt',
    'Geteilter Beitrag',
    'Ist Retweet',
    'Partagé',
    'Est un retweet',
    'Compartido',
    'Es retweet',
    'Condiviso',
    'È un retweet',
    'Compartilhado',
    'É retweet',
    'Gedeeld',
    'Udostępniony',
    'リツイート',
  ],
  author_followers: [
    'Number of followers',
    'Author follower count',
    'Follower',
    'Fans',
    'Anzahl Follower',
    'Abonnenten',
    'Abonnés',
    'Seguidores',
    'Volgers',
    'Obserwujący',
    'Takipçi',
    'Takipçi sayısı',
    'フォロワー',
    'フォロワー数',
  ],
  is_reply: ['Ist Antwort', 'Est une réponse', 'Es respuesta', 'È una risposta', 'É resposta'],
  is_quote: ['Is quote tweet', 'Ist Zitat', 'Est une citation', 'Es cita'],
};
/** All fields, in the order in which columns are assigned. */
export const FIELDS = Object.keys(NAMES) as Field[];

/** The fields as the sheet of an import and messages name them. */
export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  id: 'Post id',
  url: 'Address of the Post',
  created_at: 'Time',
  time_of_day: 'Time of day',
  author: 'Author',
  author_name: 'Name of the author',
  author_id: 'Author id',
  author_followers: 'Followers of the author',
  text: 'Text',
  lang: 'Language',
  likes: 'Likes',
  reposts: 'Reposts',
  replies: 'Replies',
  repost_of: 'Reposted Post',
  reply_to: 'Replied-to Post',
  quote_of: 'Quoted Post',
  is_retweet: 'Is a repost',
  is_quote: 'Is a quote',
  is_reply: 'Is a reply',
  engagement_type: 'Repost, reply or quote',
  notes_requested: 'Notes requested',
  note_links: 'Links for notes',
};

/** Other names of fields that `--map` accepts. */
const SYNONYMS: Readonly<Record<string, Field>> = {
  time: 'created_at',
  date: 'created_at',
  language: 'lang',
  link: 'url',
};

/** The field of a name in a map; null if there is none. */
export function fieldOf(name: string): Field | null {
  return FIELDS.find((field) => field === name) ?? SYNONYMS[name] ?? null;
}

/**
 * A column's name for comparing: in lower case without accents, with spaces for underscores and hyphens and before the
 * capitals of `likeCount`, without what is in parentheses.
 */
export function plainName(name: string): string {
  return fold(name.replace(/\([^)]*\)\s*$/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2'))
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();
}

const PLAIN_NAMES: ReadonlyMap<Field, readonly string[]> = new Map(
  FIELDS.map((field) => [
    field,
    [field, ...NAMES[field], ...(LOCAL_NAMES[field] ?? [])].map(plainName),
  ]),
);

/** The names of a field's columns, its own first. */
export function namesOf(field: Field): readonly string[] {
  return PLAIN_NAMES.get(field) ?? [];
}

const KNOWN: ReadonlySet<string> = new Set(FIELDS.flatMap(namesOf));

/** A tool whose exports are recognised by columns that only they have together. */
interface Product {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Recognised exports. Their headers as found in public code that reads them; `tests/vectors/import-headers.json` has the
 * headers with their sources.
 */
const PRODUCTS: readonly Product[] = [
  { name: 'Brandwatch', columns: ['query name', 'thread author', 'url', 'date'] },
  { name: 'Meltwater', columns: ['hit sentence', 'input name', 'url'] },
  { name: 'Talkwalker', columns: ['published', 'extra author attributes.name'] },
  { name: 'Sprout Social', columns: ['network', 'profile', 'post type'] },
  { name: 'twarc-csv', columns: ['referenced tweets.replied to.id', 'author id'] },
  { name: 'X analytics', columns: ['post id', 'post text', 'post link'] },
  { name: 'Twitter analytics', columns: ['tweet id', 'tweet permalink', 'tweet text'] },
  { name: 'Twint', columns: ['user rt id', 'likes count', 'conversation id'] },
  { name: 'TAGS', columns: ['from user', 'status url', 'entities str'] },
  { name: 'Social Feed Manager', columns: ['created at', 'twitter id', 'screen name'] },
];

/** The tool that wrote a header, if it is a recognised one. */
export function productOf(header: readonly string[]): string | null {
  const names = new Set(header.map(plainName));
  const found = PRODUCTS.find(({ columns }) => columns.every((name) => names.has(name)));
  return found?.name ?? null;
}

/** The number of cells of a row that are names of columns that files of Posts have. */
export function knownNames(cells: readonly string[]): number {
  const names = new Set(cells.map(plainName));
  return [...names].filter((name) => KNOWN.has(name)).length;
}

/** Names of columns as files in German have them, as {@link plainName} writes them; a few are words of other languages too. */
const GERMAN = new Set(
  [
    'Datum',
    'Datum und Uhrzeit',
    'Uhrzeit',
    'Veröffentlicht am',
    'Veröffentlichungsdatum',
    'Veröffentlicht',
    'Erstellt am',
    'Erstellungsdatum',
    'Zeitpunkt',
    'Zeitstempel',
    'Gepostet am',
    'Verfasser',
    'Verfasserin',
    'Autorin',
    'Benutzer',
    'Benutzername',
    'Nutzer',
    'Nutzername',
    'Inhalt',
    'Beitrag',
    'Beitragstext',
    'Nachricht',
    'Sprache',
  ].map(plainName),
);

/** True if a header is probably in German. */
export function isGerman(header: readonly string[]): boolean {
  return header.some((name) => GERMAN.has(plainName(name)));
}

/** Zones by the abbreviation that exports put after the name of a column, such as `Timestamp (ET)`. */
const ZONES: Readonly<Record<string, string>> = {
  UTC: 'UTC',
  GMT: 'UTC',
  ET: 'America/New_York',
  CT: 'America/Chicago',
  MT: 'America/Denver',
  PT: 'America/Los_Angeles',
  CET: 'Europe/Berlin',
};

/** The time zone that a column's name states; null if it states none that is known. */
export function zoneIn(name: string): string | null {
  const [, inside = ''] = /\(([^)]*)\)\s*$/.exec(name) ?? [];
  const abbreviation = inside
    .trim()
    .toUpperCase()
    .replace(/^([ECMP])[SD]T$/, '$1T');
  return ZONES[abbreviation] ?? null;
}

/** Codes of the languages that exports name in English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  arabic: 'ar',
  bengali: 'bn',
  bulgarian: 'bg',
  catalan: 'ca',
  chinese: 'zh',
  croatian: 'hr',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  estonian: 'et',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hebrew: 'iw',
  hindi: 'hi',
  hungarian: 'hu',
  icelandic: 'is',
  indonesian: 'in',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  latvian: 'lv',
  lithuanian: 'lt',
  norwegian: 'no',
  persian: 'fa',
  polish: 'pl',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  serbian: 'sr',
  slovenian: 'sl',
  spanish: 'es',
  swedish: 'sv',
  tamil: 'ta',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  urdu: 'ur',
  vietnamese: 'vi',
};

/** Languages, other than English, in which files name languages; those of {@link LOCAL_NAMES}. */
const NAMING = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ja'];

/** Codes by the names that the languages have in {@link NAMING} and in themselves. */
let localLanguages: ReadonlyMap<string, string> | null = null;

function localLanguagesOf(): ReadonlyMap<string, string> {
  const codes = [...new Set(Object.values(LANGUAGES))];
  return new Map(
    codes.flatMap((code) =>
      [...NAMING, code].flatMap((locale): [string, string][] => {
        const name = new Intl.DisplayNames(locale, { type: 'language' }).of(code);
        return name === undefined ? [] : [[fold(name), code]];
      }),
    ),
  );
}

/** The code of a language that a file names in English, in one of {@link NAMING} or in itself; other values unchanged. */
export function languageCode(value: string): string {
  const name = value.trim().toLowerCase();
  if (name.length <= 3 && !/[^a-z]/.test(name)) return value;
  const english = LANGUAGES[name];
  if (english !== undefined) return english;
  localLanguages ??= localLanguagesOf();
  return localLanguages.get(fold(name)) ?? value;
}
