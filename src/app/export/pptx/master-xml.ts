import type { DeckBox, Deck } from './deck.ts';
import { placeXml, NAMESPACES, NO_GROUP, DRAWING } from './drawing.ts';
import { XML } from '#app/export/xlsx/package-parts.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

const MAP =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>';
const BACKGROUND =
  '<p:bg><p:bgPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>';
export const holderXml = (id: number, type: string, box: DeckBox): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${type}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="${type}"${type === 'body' ? ' idx="1"' : ''}/></p:nvPr></p:nvSpPr><p:spPr>${placeXml(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr lang="en-GB"/></a:p></p:txBody></p:sp>`;

/** The master of all slides. */
export function masterXml({ title, chart }: Deck): string {
  const level =
    '<a:lvl1pPr algn="l"><a:defRPr sz="1800"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl1pPr>';
  return `${XML}<p:sldMaster ${NAMESPACES}><p:cSld>${BACKGROUND}<p:spTree>${NO_GROUP}${holderXml(2, 'title', title)}${holderXml(3, 'body', chart.box)}</p:spTree></p:cSld>${MAP}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst><p:txStyles><p:titleStyle>${level}</p:titleStyle><p:bodyStyle>${level}</p:bodyStyle><p:otherStyle>${level}</p:otherStyle></p:txStyles></p:sldMaster>`;
}

/** The page of the speaker's notes, in points: A4. */
export const NOTES_PAGE = { width: 595, height: 842 };

/** The master of all notes. */
export function notesMasterXml({ width, height }: Deck): string {
  const wide = NOTES_PAGE.width - 110;
  const image = { x: 55, y: 60, width: wide, height: (wide * height) / width };
  const said = { x: 55, y: image.y + image.height + 30, width: wide, height: 400 };
  return `${XML}<p:notesMaster ${NAMESPACES}><p:cSld>${BACKGROUND}<p:spTree>${NO_GROUP}${holderXml(2, 'sldImg', image)}${holderXml(3, 'body', said)}</p:spTree></p:cSld>${MAP}<p:notesStyle><a:lvl1pPr algn="l"><a:defRPr sz="1000"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl1pPr></p:notesStyle></p:notesMaster>`;
}

/** The colours and fonts. */
export function themeXml(
  base: Pick<BaseColours, 'ink' | 'quiet' | 'hairline' | 'ground'>,
  accents: readonly string[],
): string {
  const colour = (name: string, value: string): string =>
    `<a:${name}><a:srgbClr val="${value.slice(1).toUpperCase()}"/></a:${name}>`;
  const { ink, quiet, hairline, ground } = base;
  const colours = [
    ['dk1', ink],
    ['lt1', ground],
    ['dk2', quiet],
    ['lt2', hairline],
    ...Array.from({ length: 6 }, (_, i) => [`accent${i + 1}`, accents[i] ?? ink]),
    ['hlink', accents[0] ?? ink],
    ['folHlink', quiet],
  ].map(([name = '', value = '']) => colour(name, value));
  const font = '<a:latin typeface="Inter"/><a:ea typeface=""/><a:cs typeface=""/>';
  const plain = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
  const three = (of: string): string => of.repeat(3);
  return `${XML}<a:theme xmlns:a="${DRAWING}/main" name="Groundswell"><a:themeElements><a:clrScheme name="Groundswell">${colours.join('')}</a:clrScheme><a:fontScheme name="Groundswell"><a:majorFont>${font}</a:majorFont><a:minorFont>${font}</a:minorFont></a:fontScheme><a:fmtScheme name="Groundswell"><a:fillStyleLst>${three(plain)}</a:fillStyleLst><a:lnStyleLst>${three(`<a:ln w="9525">${plain}</a:ln>`)}</a:lnStyleLst><a:effectStyleLst>${three('<a:effectStyle><a:effectLst/></a:effectStyle>')}</a:effectStyleLst><a:bgFillStyleLst>${three(plain)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`;
}
