import { fold } from './fold.ts';

/**
 * The words of a language that join others and say nothing by themselves: articles, pronouns, prepositions, conjunctions,
 * auxiliary verbs, and the commonest adverbs. Closed classes, listed for this project; a language without a row has none.
 * Words of one letter are left out by `isSlight`.
 */
const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  en:
    'the an and or but nor so yet if then than that this these those there here to of in on at by for from with ' +
    'about into onto over under after before between through during without within against up down out off again ' +
    'as is am are was were be been being do does did doing done have has had having will would shall should can ' +
    'could may might must not no it its he him his she her hers they them their theirs we us our ours you your ' +
    'yours me my mine who whom whose which what when where why how all any both each few more most other some ' +
    'such only own same too very just also even ever never because while until though although i’m im ive id ill ' +
    'youre hes shes theyre thats theres whats lets don doesn didn isn aren wasn weren won wouldn couldn shouldn ' +
    'hasn haven hadn ve ll re amp rt via get got one',
  de:
    'der die das den dem des ein eine einen einem einer eines und oder aber denn doch sondern wenn dann als wie ' +
    'dass ob weil da so in im an am auf aus bei beim mit nach seit von vom vor zu zum zur über unter zwischen ' +
    'durch für gegen ohne um bis ist bin bist sind seid war waren sein gewesen hat habe haben hatte hatten wird ' +
    'werden wurde wurden worden kann können konnte muss müssen soll sollen will wollen darf nicht kein keine ' +
    'keinen ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein dein ihre ihren ihrem ' +
    'ihrer seine seinen seiner unser unsere dieser diese dieses diesen diesem jener jede jeder jedes alle alles ' +
    'man was wer wo wann warum auch nur noch schon mehr sehr hier dort mal immer wieder',
  fr:
    'le la les un une des du de et ou mais donc or ni car que qui quoi dont où quand comme si dans en sur sous ' +
    'par pour avec sans chez entre vers est sont était étaient être été suis es sommes êtes ai as avons avez ont ' +
    'avait avaient avoir eu fait faire ne pas plus jamais rien je tu il elle on nous vous ils elles me te se lui ' +
    'leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces ça cela tout tous toute ' +
    'toutes au aux même aussi bien très encore ici là qu',
  es:
    'el la los las un una unos unas de del al pero sino que qué quien quién como cómo cuando donde si sí no ni en ' +
    'con sin por para sobre entre hasta desde hacia es son era eran ser sido fue fueron está están estaba estar ' +
    'estoy soy eres somos ha han he has hay había haber yo tú él ella ellos ellas nosotros usted ustedes me te se ' +
    'le les lo nos mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa eso esto aquel muy más ' +
    'menos también ya así todo todos toda todas porque aún va',
  pt:
    'os as um uma uns umas de do da dos das ao aos no na nos nas em com sem por pelo pela para pra sobre entre ' +
    'até desde ou mas que quem como quando onde se sim não nem são era eram ser sido foi foram está estão estava ' +
    'estar estou sou somos tem têm tinha ter há eu tu ele ela eles elas nós você vocês me te lhe lhes meu minha ' +
    'meus minhas teu tua seu sua seus suas nosso nossa este esta isto esse essa isso aquele aquela muito mais ' +
    'menos também já só todo todos toda todas porque vai',
  it:
    'il lo la gli le un uno una di del dello della dei degli delle al allo alla ai agli alle da dal dalla dai in ' +
    'nel nella nei nelle su sul sulla con per tra fra ed ma se che chi cui come quando dove perché non né sono ' +
    'era erano essere stato stata sei siamo ha ho hai hanno abbiamo aveva avere io tu lui lei noi voi loro mi ti ' +
    'si ci vi ne mio mia tuo tua suo sua suoi nostro questo questa questi queste quello quella molto più meno ' +
    'anche già solo tutto tutti tutta tutte così',
  nl:
    'de het een en of maar want dus als dan dat die dit deze er hier daar in op aan bij met naar om onder over te ' +
    'tot uit van voor door tussen zonder is ben bent zijn was waren wordt worden werd werden heb hebt heeft ' +
    'hebben had hadden kan kunnen kon moet moeten zal zullen zou niet geen ik jij je hij zij ze wij we jullie mij ' +
    'me hem haar hen hun ons mijn jouw onze wie wat waar wanneer waarom hoe ook nog al wel meer zeer veel toch',
  ru:
    'во не на он она оно они что чтобы это этот эта эти тот та те то так как ко по за из от до для без при под ' +
    'над об со уже еще ещё но или если когда где кто бы же ли ни да нет был была были быть есть будет мы вы ты ' +
    'меня мне тебя его ее её их ему ей им нас нам вас вам себя свой свою свои все всё всех только тоже также ' +
    'очень там тут после чем через',
  ar:
    'في من على إلى الى عن مع أن ان إن أو او ثم لا لم لن ما هذا هذه ذلك تلك الذي التي الذين هو هي هم أنا انا نحن ' +
    'أنت انت كان كانت يكون قد كل بعد قبل بين حتى إذا اذا كما غير يا لكن هل فيه منه عليه',
  tr:
    've veya ama fakat ile için gibi kadar daha çok en bir bu şu ben sen biz siz onlar bana sana onu bunu da de ' +
    'ki mi mı mu mü ne neden nasıl var yok değil olan olarak oldu olur her hiç sonra önce ya diye',
  id:
    'yang dan di ke dari untuk dengan pada ini itu adalah atau tidak ada akan juga sudah saya aku kamu kita kami ' +
    'dia mereka bisa karena jadi kalau seperti oleh dalam lebih lagi apa siapa yg gak ga nya sih aja',
  pl:
    'we ze na do od po za przy przez dla bez pod nad nie to ten ta te tego tej tym tych jest są był była było być ' +
    'będzie się jak że czy ale lub oraz gdy jeśli ja ty on ona ono my wy oni mnie mi cię ci go mu jej ich nas was ' +
    'tylko też już jeszcze co kto gdzie tak',
  sv:
    'och att det som en ett den de på av för med till från om vid är var vara har hade han hon vi ni jag du mig ' +
    'dig sig oss er inte ingen men eller så när där här hur vad vem kan ska skulle vill blir blev också bara mer ' +
    'nu alla detta denna dessa min din sin',
};

const NONE: ReadonlySet<string> = new Set();
const FOLDED = new Map<string, ReadonlySet<string>>();

/**
 * The function words of a language, folded.
 *
 * @param language - As a Post states it: `en`, `pt`, `zh-tw`.
 */
export function functionWords(language: string): ReadonlySet<string> {
  const base = language.split('-', 1)[0] ?? '';
  const list = Object.hasOwn(FUNCTION_WORDS, base) ? FUNCTION_WORDS[base] : undefined;
  if (list === undefined) return NONE;
  const words = FOLDED.get(base) ?? new Set(fold(list).split(' '));
  FOLDED.set(base, words);
  return words;
}

/** Words of each language by which Posts that state none are recognised: the first of its row, which are frequent. */
const SIGNS = 24;
/** So many of them, each in this part of the Posts, make a language one of the Posts'. */
const SIGNS_NEEDED = 6;
const SIGN_PART = 0.01;

const signsOf = (language: string): readonly string[] =>
  [...functionWords(language)].slice(0, SIGNS);

/** The words whose counts {@link recognised} needs. */
export function languageSigns(): readonly string[] {
  return [...new Set(Object.keys(FUNCTION_WORDS).flatMap(signsOf))];
}

/**
 * The languages of Posts that state none, by their function words. The language with the most signs comes first; words of
 * languages that were found are no signs of others, so that `de` and `la` alone make nothing Spanish and French.
 *
 * @param posts - The number of Posts that state no language.
 * @param withWord - The number of them that contain a word.
 */
export function recognised(posts: number, withWord: (word: string) => number): string[] {
  const found: string[] = [];
  const least = Math.max(2, posts * SIGN_PART);
  for (;;) {
    let best = '';
    let most = SIGNS_NEEDED - 1;
    for (const language of Object.keys(FUNCTION_WORDS)) {
      if (found.includes(language)) continue;
      const signs = signsOf(language).filter(
        (word) => isContentWord(word, found) && withWord(word) >= least,
      );
      if (signs.length > most) [best, most] = [language, signs.length];
    }
    if (best === '') return found;
    found.push(best);
  }
}

/** A language is one of the Posts' if at least this part of them states it. */
export const LANGUAGE_PART = 0.1;
/** Its function words are left out where no language is known. */
const USUAL = 'en';
/** The values that a Post states whose language is unknown. */
const UNKNOWN = /^(?:und|q..|zxx|art)$/;

/** True if a Post that states this states its language. */
export function statesLanguage(stated: string): boolean {
  return stated !== '' && !UNKNOWN.test(stated);
}

/** The languages that Posts state, and those that were recognised in others; English if there are none. */
export function spoken(stated: readonly string[], others: readonly string[]): string[] {
  const named = [...new Set([...stated.filter(statesLanguage), ...others])];
  return named.length > 0 ? named : [USUAL];
}

/** The languages of which a word is a function word. */
export function languagesWith(word: string): string[] {
  return Object.keys(FUNCTION_WORDS).filter((language) => functionWords(language).has(word));
}

/** True if a word is none of the languages' function words. */
export function isContentWord(word: string, languages: readonly string[]): boolean {
  return !languages.some((language) => functionWords(language).has(word));
}
