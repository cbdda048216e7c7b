import { textWidth } from '#app/chart/draw/text-width.ts';
import { escaped } from '#app/export/markup.ts';
import { SMALL_PX, type Shape } from '#app/export/shapes.ts';
import type { DeckBox, Deck } from './deck.ts';
import { placeXml, fillXml, strokeXml, runXml, DRAWING, NAMESPACES, NO_GROUP } from './drawing.ts';
import { XML } from '#app/export/xlsx/package-parts.ts';

function shapeXml(shape: Shape, id: number): string {
  const form = (of: string, box: DeckBox, look: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Shape ${id}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>${placeXml(box)}<a:prstGeom prst="${of}"><a:avLst/></a:prstGeom>${look}<a:ln><a:noFill/></a:ln></p:spPr></p:sp>`;
  if (shape.is === 'rect') return form('rect', shape, fillXml(shape.fill, shape.opacity));
  if (shape.is === 'circle') {
    const { x, y, r } = shape;
    return form(
      'ellipse',
      { x: x - r, y: y - r, width: 2 * r, height: 2 * r },
      fillXml(shape.fill),
    );
  }
  if (shape.is === 'line') {
    const { x1, x2, y1, y2 } = shape;
    const box = { x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
    return `<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="${id}" name="Line ${id}"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr>${placeXml(box)}<a:prstGeom prst="line"><a:avLst/></a:prstGeom>${strokeXml(shape.stroke, 1, shape.dash)}</p:spPr></p:cxnSp>`;
  }
  const { x, y, said, style } = shape;
  const { fill: colour, size = SMALL_PX, weight = 400, anchor = 'start' } = style;
  const width = textWidth(said, size) + 4;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  const box = { x: left, y: y - size, width, height: size * 1.3 };
  const align = { start: 'l', middle: 'ctr', end: 'r' }[anchor];
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Text ${id}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>${placeXml(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="none" lIns="0" tIns="0" rIns="0" bIns="0"/><a:lstStyle/><a:p><a:pPr algn="${align}"/>${runXml(said, size, colour, weight > 500)}</a:p></p:txBody></p:sp>`;
}

function titleXml({ title, base }: Deck): string {
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr>${placeXml(title)}</p:spPr><p:txBody><a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0" anchor="b"><a:normAutofit/></a:bodyPr><a:lstStyle/><a:p>${runXml(title.said, title.size, base.ink, true)}</a:p></p:txBody></p:sp>`;
}

/** A slide: its title, its shapes and its chart. */
export function slideXml(deck: Deck): string {
  const { chart, shapes } = deck;
  const shown = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Chart" descr="${escaped(chart.description)}"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>${placeXml(chart.box, 'p')}<a:graphic><a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" r:id="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const drawn = shapes.map((shape, i) => shapeXml(shape, i + 4)).join('');
  return `${XML}<p:sld ${NAMESPACES}><p:cSld><p:spTree>${NO_GROUP}${titleXml(deck)}${drawn}${shown}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`;
}

/** The notes of a slide. */
export function notesXml({ notes }: Deck): string {
  const paragraphs = notes.map((said) =>
    said === ''
      ? '<a:p><a:endParaRPr lang="en-GB"/></a:p>'
      : `<a:p><a:r><a:rPr lang="en-GB" dirty="0"/><a:t>${escaped(said)}</a:t></a:r></a:p>`,
  );
  return `${XML}<p:notes ${NAMESPACES}><p:cSld><p:spTree>${NO_GROUP}<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp><p:sp><p:nvSpPr><p:cNvPr id="3" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>${paragraphs.join('')}</p:txBody></p:sp></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`;
}
