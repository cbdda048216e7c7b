/**
 * Words and phrases by which notes are evaluated. They are English: notes in other languages are judged by their numbers,
 * dates, names, quotations and shared words alone.
 */

function anyOf(phrases: string): RegExp {
  const list = phrases
    .trim()
    .split(/\s*,\s*/)
    .map((phrase) => phrase.replaceAll(' ', String.raw`\s+`));
  return new RegExp(String.raw`(?<![\p{L}\p{N}_'])(?:${list.join('|')})(?![\p{L}\p{N}_])`, 'giu');
}

export const FIRST_PERSON = anyOf(
  `i, i'm, i've, i'd, i'll, me, my, mine, myself, we, we're, we've, our, ours, us`,
);

/** The author's judgement of people or of what they say. */
export const JUDGEMENT = anyOf(`
  absurd, amazing, awful, bad, biased, bigoted, clueless, crazy, cruel, cynical, despicable, disgraceful, disgusting,
  dishonest, embarrassing, evil, foolish, great, hateful, horrible, horrific, hypocrite, hypocritical, idiotic,
  irresponsible, laughable, ludicrous, nonsense, outrageous, pathetic, propaganda, ridiculous, sad, shameful, shameless,
  silly, stupid, terrible, unacceptable, unfair, vile, wicked, wonderful, worst, should, shouldn't, must be ashamed
`);

/** The words with which the author only supposes. */
export const CONJECTURE = anyOf(`
  allegedly, apparently, arguably, could be, could have, guess, hopefully, imagine, likely, may be, may have, maybe,
  might, perhaps, possibly, presumably, probably, reportedly, rumor, rumors, rumour, rumours, seems, seem, seemingly,
  suppose, supposedly, think, believe, feel, unlikely, in my opinion, in our opinion, who knows
`);

/** Insults. */
export const INSULTS = anyOf(`
  clown, clowns, coward, cowards, cretin, cretins, degenerate, degenerates, dumb, fool, fools, freak, freaks, garbage,
  idiot, idiots, imbecile, imbeciles, liar, liars, loser, losers, moron, morons, pig, pigs, pervert, perverts, scum,
  scumbag, scumbags, shut up, stupid, subhuman, trash, vermin, worthless
`);

/** Threats and calls to harm. */
export const THREATS = anyOf(`
  kill yourself, kill him, kill her, kill them, kill you, go die, should die, deserves to die, deserve to die, drop dead,
  hang him, hang her, hang them, shoot him, shoot her, shoot them, rape, we will find you, i will find you,
  i know where you live, we know where you live, should be shot, should be hanged, should be killed
`);
