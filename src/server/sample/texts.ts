/** Languages of the sample. */
export const LANGS = ['en', 'de', 'es', 'fr', 'ja', 'pt'] as const;
export type Lang = (typeof LANGS)[number];

/** The kind of thing that a topic is; it decides what people say of it. */
export type TopicKind = 'drink' | 'club' | 'series' | 'airline' | 'phone' | 'festival' | 'life';

type Texts = readonly [string, ...string[]];

/** Sentences about `{x}`, the topic's name in the language. */
export const TEXTS: Readonly<Record<TopicKind, Readonly<Record<Lang, Texts>>>> = {
  drink: {
    en: [
      'just tried {x} for the first time and I get it now',
      '{x} is the only reason I made it through this morning',
      'hot take: {x} tastes better from the small place round the corner',
      'why is {x} suddenly everywhere in my neighbourhood',
      'ran out of {x} again, this household is out of control',
      'does anybody have a good recipe with {x}? asking for my whole office',
      '{x} prices went up again, I will still buy it',
      'Monday plan: {x}, headphones, no meetings',
      'my sister swears by {x}, I am slowly coming round',
      'the new {x} on the menu is honestly worth the queue',
    ],
    de: [
      'heute zum ersten Mal {x} probiert, gar nicht schlecht',
      'ohne {x} fange ich morgens gar nicht erst an',
      'warum gibt es {x} jetzt wirklich überall?',
      '{x} ist schon wieder teurer geworden',
      'hat jemand ein gutes Rezept mit {x}?',
      'im Büro streiten wir wieder über {x}',
    ],
    es: [
      'hoy probé {x} y ya no hay vuelta atrás',
      'sin {x} no empiezo la mañana',
      '¿por qué {x} está en todas partes?',
      'otra vez subió el precio de {x}',
      '¿alguien tiene una buena receta con {x}?',
    ],
    fr: [
      'première fois que je goûte {x}, je comprends enfin',
      'pas de matin sans {x}',
      'pourquoi on voit {x} partout en ce moment ?',
      'le prix de {x} a encore augmenté',
      'une bonne recette avec {x} ? je prends',
    ],
    ja: [
      '今日は{x}で一息ついてます',
      '{x}にはまってしまった',
      '駅前の店の{x}がおいしい',
      '最近どこに行っても{x}を見かける',
      '朝は{x}がないと始まらない',
    ],
    pt: [
      'provei {x} hoje e já quero mais',
      'sem {x} a manhã não começa',
      'por que {x} está em todo lugar?',
      'o preço de {x} subiu de novo',
      'alguém tem uma receita boa com {x}?',
    ],
  },
  club: {
    en: [
      'what a save! {x} are still in this',
      '{x} need a striker, I have been saying it since August',
      'full time. {x} grind out a point away from home',
      'season ticket renewed, see you all in the north stand, {x}',
      'GOAL! {x} turn it around in the last minute',
      'that midfield of {x} is a joy to watch when it clicks',
      'away day with {x}: rain, pie, late winner',
      'refereeing aside, {x} were just not good enough today',
    ],
    de: [
      'Tor für {x}! In der Nachspielzeit!',
      '{x} spielt heute ganz stark über außen',
      'auswärts ein Punkt, damit kann {x} leben',
      'Dauerkarte verlängert, bis Samstag, {x}',
    ],
    es: [
      '¡gol de {x} en el último minuto!',
      'qué partido de {x}, no me siento bien',
      'un punto fuera de casa y a seguir, {x}',
      'el medio campo de {x} hoy sí funcionó',
    ],
    fr: [
      'but pour {x} dans les arrêts de jeu !',
      'un point à l’extérieur, {x} peut s’en contenter',
      'quel arrêt, {x} reste dans le match',
    ],
    ja: ['{x}、後半ロスタイムに決めた!', '{x}の試合、今日は見ごたえがあった'],
    pt: [
      'gol do {x} no último minuto!',
      'que jogo do {x}, meu coração não aguenta',
      'um ponto fora de casa, segue o jogo {x}',
    ],
  },
  series: {
    en: [
      'no spoilers but that ending of {x} has me on the floor',
      'started {x} on Friday, finished on Sunday, no regrets',
      '{x} understands silence better than any show right now',
      'the music in {x} deserves every prize',
      'I have a theory about the lighthouse in {x}',
      'waiting a whole week for the next {x} is cruel',
      'rewatching {x} from the start and it all makes sense',
    ],
    de: [
      'diese letzte Folge von {x}, ich brauche einen Moment',
      '{x} an einem Wochenende durchgeschaut',
      'eine Woche warten auf {x} ist zu lang',
      'die Musik in {x} ist großartig',
    ],
    es: [
      'el final de {x} me dejó sin palabras',
      'terminé {x} en un fin de semana',
      'una semana más para el próximo capítulo de {x}',
      'la música de {x} es una maravilla',
    ],
    fr: [
      'la fin de {x}, je ne m’en remets pas',
      'j’ai fini {x} en un week-end',
      'encore une semaine avant la suite de {x}',
    ],
    ja: ['{x}の最終回、まだ余韻がすごい', '{x}を一気見してしまった', '来週の{x}が待ちきれない'],
    pt: [
      'o final de {x} me deixou sem chão',
      'terminei {x} em um fim de semana',
      'mais uma semana para o próximo episódio de {x}',
    ],
  },
  airline: {
    en: [
      'two hours at the gate and no word from {x}',
      '{x} found my suitcase, faith restored',
      'smooth flight with {x} this morning, on time to the minute',
      'has anyone got through to {x} on the phone today?',
      'window seat, clear sky, thank you {x}',
      '{x} changed my flight again, third time this month',
      'the new {x} app actually works, I am surprised',
    ],
    de: [
      'seit zwei Stunden am Gate und nichts von {x}',
      '{x} hat meinen Koffer wiedergefunden',
      'pünktlich gelandet mit {x}, geht doch',
      'erreicht heute jemand {x} am Telefon?',
    ],
    es: [
      'dos horas en la puerta y {x} no dice nada',
      '{x} encontró mi maleta, todo perdonado',
      'vuelo tranquilo con {x}, a la hora exacta',
    ],
    fr: [
      'deux heures à la porte et aucune nouvelle de {x}',
      '{x} a retrouvé ma valise',
      'vol calme avec {x}, à l’heure',
    ],
    ja: ['{x}が二時間遅れている', '{x}の窓側の席、景色が最高'],
    pt: [
      'duas horas no portão e nada da {x}',
      'a {x} achou minha mala',
      'voo tranquilo com a {x}, no horário',
    ],
  },
  phone: {
    en: [
      'the camera on the {x} is better than it has any right to be',
      'my old phone still works but the {x} looks so nice',
      '{x} battery after a full day: 41 percent. impressive',
      'is the {x} worth it over last year’s?',
      'dropped my {x} down the stairs, not a scratch',
      'the {x} in green, please and thank you',
      'update on the {x} broke my alarm, I am late',
    ],
    de: [
      'die Kamera im {x} ist erstaunlich gut',
      'lohnt sich das {x} wirklich?',
      'Akku vom {x} nach einem Tag: 41 Prozent',
      'das {x} in Grün, bitte',
    ],
    es: [
      'la cámara del {x} es increíble',
      '¿vale la pena el {x}?',
      'batería del {x} después de un día: 41 por ciento',
    ],
    fr: [
      'l’appareil photo du {x} est étonnant',
      'le {x} vaut-il le coup ?',
      'le {x} en vert, merci',
    ],
    ja: ['{x}のカメラがすごい', '{x}に機種変更した', '{x}の電池が一日もった'],
    pt: [
      'a câmera do {x} é ótima',
      'vale a pena o {x}?',
      'bateria do {x} depois de um dia: 41 por cento',
    ],
  },
  festival: {
    en: [
      'tent is up, boots are on, hello {x}',
      'that sunset set at {x} will stay with me for years',
      'got tickets for {x}!! who else is going',
      'packing list for {x}: socks, socks, more socks',
      'the line-up for {x} is unreal this year',
      'sleeping for three days straight after {x}',
    ],
    de: [
      'Zelt steht, Stiefel an, hallo {x}',
      'Karten für {x} sind da!',
      'das Programm vom {x} ist dieses Jahr großartig',
    ],
    es: [
      '¡ya tengo entradas para {x}!',
      'el cartel de {x} este año es una locura',
      'ese concierto al atardecer en {x}, inolvidable',
    ],
    fr: [
      'j’ai mes places pour {x} !',
      'la programmation de {x} est folle cette année',
      'ce concert au coucher du soleil à {x}',
    ],
    ja: ['{x}のチケットが取れた!', '{x}の出演者が豪華すぎる'],
    pt: ['ingresso do {x} na mão!', 'a programação do {x} está incrível este ano'],
  },
  life: {
    en: [
      'thinking about {x} again on the way to work',
      '{x} changed my week more than I expected',
      'unpopular opinion: {x} is overrated',
      'good read about {x} this morning',
      'we talked about {x} at dinner for an hour',
      'a small thread on {x} and what I learned',
    ],
    de: [
      '{x} hat meine Woche mehr verändert als gedacht',
      'guter Artikel über {x} heute früh',
      'wir haben eine Stunde lang über {x} geredet',
      'ich weiß nicht, was alle mit {x} haben',
    ],
    es: [
      'buen artículo sobre {x} esta mañana',
      'hablamos una hora de {x} en la cena',
      '{x} me cambió la semana',
    ],
    fr: [
      'bon article sur {x} ce matin',
      'on a parlé de {x} pendant une heure au dîner',
      '{x} a changé ma semaine',
    ],
    ja: ['{x}について考えている', '{x}の記事がよかった', '{x}、もっと広まってほしい'],
    pt: ['bom texto sobre {x} hoje cedo', 'falamos de {x} por uma hora no jantar'],
  },
};

/** Answers to somebody, of no topic in words. */
export const REPLIES: Readonly<Record<Lang, Texts>> = {
  en: ['same here', 'this made my day', 'not sure I agree, but fair', 'where was this?', 'so true'],
  de: ['geht mir genauso', 'wo war das?', 'da bin ich anderer Meinung', 'genau so ist es'],
  es: ['igual aquí', '¿dónde fue eso?', 'totalmente de acuerdo', 'no lo veo así'],
  fr: ['pareil ici', 'c’était où ?', 'tout à fait d’accord', 'pas si sûr'],
  ja: ['わかります', 'どこですか?', '同じくです'],
  pt: ['aqui também', 'onde foi isso?', 'concordo demais'],
};

export const EMOJI = ['😍', '😂', '🙌', '🔥', '☕', '🎉', '😅', '👀', '💚', '✨'] as const;
