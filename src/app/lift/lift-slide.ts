import { withArticle } from '#core/format/plural.ts';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import { wrappedRows } from '#app/chart/draw/text-width.ts';
import { escaped } from '#app/export/markup.ts';
import { svgText } from '#app/export/shapes.ts';
import { slideFoot, type SlideChoice } from '#app/export/slide-input.ts';
import { slidePage, type EmbeddedFont, type Picture } from '#app/export/slide.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';
import {
  WINDOW_PX,
  liftPicture,
  pictureHeight,
  type DotKind,
  type LiftPicture,
} from './lift-picture.ts';
import {
  controlText,
  costText,
  pictureText,
  togetherText,
  reportText,
  sideTexts,
  sizeText,
  tickText,
  type LiftReport,
} from './lift-report.ts';
import type { BaseColours, ThemeColours } from '#app/chart/draw/chart-picture.ts';

const WORDS_PX = 13;
const WORDS_ROW_PX = 19;
/** Under the subtitle, px. */
const GAP_PX = 8;
/** Above the sentences, and under them, px. */
const WORDS_GAP_PX = 14;
const SMALL_PX = 11;

/** The texts of a slide, before the user changes them. */
export function liftSlideTexts(
  report: LiftReport,
  format: Formatter,
): Pick<SlideChoice, 'title' | 'subtitle'> {
  const { campaign, scope, topic } = report;
  const { zone } = scope.table;
  const place = zone.includes('/') ? `${zoneCity(zone)} time` : zone;
  const facts = [
    campaign.name,
    format.span(campaign, zone),
    topic.name,
    `Posts ${withArticle(scope.unit)}`,
    place,
  ];
  const { change } = reportText(report);
  const during = `during ${campaign.name || 'the campaign'}`;
  const title = change
    ? `${topic.name} was ${change} ${during}`
    : `No change in ${topic.name} beyond chance ${during}`;
  return { title, subtitle: facts.filter(Boolean).join(' · ') };
}

/** The picture as SVG, in the order of its layers. */
function pictureSvg(
  picture: LiftPicture,
  { report, format, colours }: { report: LiftReport; format: Formatter; colours: ThemeColours },
): string {
  const { plot, campaign, without, chance, axis } = picture;
  const { ink, quiet, axis: line, ground } = colours.base;
  const colour = colours.series[report.topic.colour - 1] ?? ink;
  const across = (y: number): string =>
    `<line x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}" stroke="${line}"/>`;
  const hollow = `fill="${ground}" stroke="${quiet}"`;
  const fills: Readonly<Record<DotKind, string>> = {
    earlier: `fill="${quiet}"`,
    before: hollow,
    after: hollow,
    topic: `fill="${ground}" stroke-width="1.5"`,
    campaign: `fill="${colour}" stroke="${ground}"`,
  };
  const words = { fill: quiet, size: SMALL_PX };
  return [
    `<rect x="${campaign.x.toFixed(1)}" y="0" width="${campaign.width.toFixed(1)}" height="${plot.bottom}" fill="${colour}" fill-opacity="0.08"/>`,
    `<path d="${without.band}" fill="${ink}" fill-opacity="0.12"/>`,
    `<path d="${without.line}" fill="none" stroke="${quiet}" stroke-width="1.4" stroke-dasharray="5 4"/>`,
    `<path d="${picture.curve}" fill="none" stroke="${colour}" stroke-width="1.8"/>`,
    across(plot.bottom),
    svgText(plot.left, 10, format.count(picture.top), words),
    `<rect x="${chance.x.toFixed(1)}" y="${plot.bottom + 14}" width="${chance.width.toFixed(1)}" height="${axis - plot.bottom - 14}" fill="${ink}" fill-opacity="0.06"/>`,
    ...picture.dots.map(({ kind, x, y, name, colour: own, lift }) => {
      const stroke = own === null ? '' : ` stroke="${colours.series[own - 1] ?? ink}"`;
      const title =
        name && `<title>${escaped(`${name}: ${sizeText(lift, report.locale)}`)}</title>`;
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${WINDOW_PX[kind]}" ${fills[kind]}${stroke}>${title}</circle>`;
    }),
    across(axis),
    ...picture.ticks.map(({ x, lift }) =>
      svgText(x, axis + 13, tickText(lift, report.locale), { ...words, anchor: 'middle' }),
    ),
  ].join('');
}

/** The sentences under the picture, as wide as it. */
function sentences(
  report: LiftReport,
  format: Formatter,
  { ink, quiet }: BaseColours,
  room: number,
) {
  const said = reportText(report);
  const texts = [said.headline, said.chance, togetherText(report), ...sideTexts(said)];
  const words = [...texts, costText(report, format), controlText(report), said.control]
    .filter(Boolean)
    .join(' ');
  const rows = wrappedRows([words], WORDS_PX, room).map((text) => ({ text, fill: ink }));
  const legend = wrappedRows([pictureText(report)], SMALL_PX, room).map((text) => ({
    text,
    fill: quiet,
  }));
  const all = [...rows, ...legend];
  return {
    words: ` ${words}`,
    height: WORDS_GAP_PX * 2 + all.length * WORDS_ROW_PX,
    svgAt: (x: number, top: number): string =>
      all
        .map(({ text, fill }, i) =>
          svgText(x, top + WORDS_GAP_PX + (i + 1) * WORDS_ROW_PX - 5, text, {
            fill,
            size: fill === ink ? WORDS_PX : SMALL_PX,
          }),
        )
        .join(''),
  };
}

/** The slide of a lift: its result as the title, the picture, and the sentences under it. */
export function liftSlide(
  report: LiftReport,
  choice: Pick<SlideChoice, 'shape' | 'theme' | 'title' | 'subtitle'>,
  format: Formatter,
  font: EmbeddedFont | null,
): Picture {
  const colours = PALETTES[choice.theme];
  const { source, now, scope } = report;
  const page = {
    ...choice,
    colours: colours.base,
    foot: slideFoot({ source, now, zone: scope.table.zone, format }, []),
  };
  return slidePage(
    {
      ...page,
      draw: ({ edge, room, top: head, bottom }) => {
        const top = head + GAP_PX;
        const said = sentences(report, format, colours.base, room);
        const plot = bottom - top - said.height - pictureHeight(0);
        const picture = liftPicture(report, room, plot);
        const drawn = pictureSvg(picture, { report, format, colours });
        return {
          svg: `<g transform="translate(${edge} ${top})">${drawn}</g>${said.svgAt(edge, top + picture.height)}`,
          words: said.words,
        };
      },
    },
    font,
  );
}
